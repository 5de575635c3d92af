import { eventually } from "./eventually";

test("asks until there is a value", async () => {
  const answers = [undefined, null, false, "here"] as const;
  let asked = 0;
  await expect(eventually("It", async () => answers[asked++], { everyMs: 1 })).resolves.toBe("here");
  expect(asked).toBe(4);
});

test("a missing value is named after the limit, and an error of the question is not repeated", async () => {
  await expect(eventually("The report", () => false, { limitMs: 10, everyMs: 1 })).rejects.toThrow(
    "The report did not come within 0.01 s.",
  );
  const ask = jest.fn().mockRejectedValue(new Error("refused"));
  await expect(eventually("The report", ask, { everyMs: 1 })).rejects.toThrow("refused");
  expect(ask).toHaveBeenCalledTimes(1);
});
