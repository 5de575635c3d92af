import { LinkQuality } from "./link-quality";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const after = (sequences: readonly number[]) => {
  const quality = new LinkQuality();
  for (const sequence of sequences) quality.add(sequence);
  return quality;
};
const fromTo = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => (from + at) & 0xff);

test("nothing is known before a frame came, and all came when no number is missing", () => {
  expect(new LinkQuality().percent).toBeNull();
  expect(after(fromTo(200, 900)).percent).toBe(100);
});

test("a missing number is a frame that was lost", () => {
  const sequences = fromTo(0, 1_000).filter((_, at) => at % 20 !== 7);
  expect(after(sequences).percent).toBe(95);
});

test("a sender that begins anew has lost nothing", () => {
  expect(after([...fromTo(0, 100), ...fromTo(0, 250)]).percent).toBe(100);
});

test("losses are forgotten after ten seconds", () => {
  const quality = after(fromTo(0, 200).filter((sequence) => sequence % 2 === 0));
  expect(quality.percent).toBeLessThan(51);
  jest.advanceTimersByTime(5_000);
  expect(quality.percent).toBeLessThan(51);
  for (const sequence of fromTo(199, 299)) quality.add(sequence);
  jest.advanceTimersByTime(5_000);
  expect(quality.percent).toBe(100);
  jest.advanceTimersByTime(10_000);
  expect(quality.percent).toBeNull();
});
