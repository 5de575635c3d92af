import { LinkRecorder, type Part } from "./link-recorder";

const PART_MS = 50_000;

test("the first part ends at once and each further one at its age, by the clock that the recorder is given", () => {
  const parts: Part[] = [];
  const onPart = (part: Part) => parts.push(part);
  const recorder = new LinkRecorder({ partMs: PART_MS, onPart, onEnd: () => {} });
  recorder.armed(true, Buffer.from("heartbeat"));
  recorder.tick(Date.now());
  expect(parts).toHaveLength(1);
  const from = Date.now();
  recorder.frame(Buffer.from("frame"));
  const to = Date.now();
  recorder.tick(from + PART_MS - 1);
  expect(parts).toHaveLength(1);
  recorder.tick(to + PART_MS);
  expect(parts).toHaveLength(2);
});
