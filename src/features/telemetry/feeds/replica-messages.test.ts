import { FeedAnswer } from "./replica-messages";

test("an answer of a newer release is read without the types that are new in it", () => {
  const frame = (type: string) => ({ age_ms: 5, frame: { type, drone_id: 1, data: {} } });
  const answer = { state: "up", newest: [frame("wind"), frame("gps")] };
  expect(FeedAnswer.parse(answer)).toEqual({ state: "up", newest: [frame("gps")] });
});
