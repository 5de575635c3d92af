import { analyse, flight } from "../testing/analysed-logs";
import { seededRandom } from "../testing/fakes/mavlink-stream";
import { Ulog } from "../testing/flight-logs";

describe("a file that is not a log", () => {
  test("is refused by name", () => {
    for (const bytes of [
      Buffer.from("hello"),
      Buffer.alloc(5_000),
      Buffer.from("PK\u0003\u0004".padEnd(400, "x")),
    ])
      expect(analyse(bytes)).toMatchObject({
        status: "unreadable",
        reason: "foreign",
        error: expect.stringContaining('"flight.bin"'),
      });
    expect(analyse(Buffer.alloc(0))).toMatchObject({ status: "unreadable", reason: "empty" });
  });

  test("never throws, whatever the bytes after a valid header", () => {
    const heads = [flight().bytes.subarray(0, 900), new Ulog().bytes];
    for (let seed = 0; seed < 200; seed++) {
      const random = seededRandom(seed);
      const noise = Buffer.from(Array.from({ length: 3_000 }, () => Math.floor(random() * 256)));
      // Heads of messages among the noise bring it past the first look.
      for (let at = 0; at + 3 < noise.length; at += 1 + Math.floor(random() * 60)) {
        noise[at] = 0xa3;
        noise[at + 1] = 0x95;
        noise[at + 2] = random() < 0.3 ? 0x80 : Math.floor(random() * 10);
      }
      const result = analyse(Buffer.concat([heads[seed % 2]!, noise]));
      expect(["complete", "damaged", "unreadable"]).toContain(result.status);
      expect(() => JSON.stringify(result)).not.toThrow();
    }
  });
});
