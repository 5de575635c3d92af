import { VanishingPolicy } from "./policies";

const peers = (count: number) => Array.from({ length: count }, (_, index) => `K${index}`);
/** How many of `count` peers that vanish the policy holds back. */
const held = (policy: VanishingPolicy<string>, count: number, of: number, isTick: boolean) =>
  count - policy.allowed(peers(count), of, isTick).size;

test.each([
  { count: 5, of: 6, isHeld: false },
  { count: 6, of: 6, isHeld: true },
  { count: 5, of: 50, isHeld: false },
  { count: 100, of: 1000, isHeld: false },
  { count: 101, of: 1000, isHeld: true },
])("$count of $of peers that vanish at once are held back: $isHeld", ({ count, of, isHeld }) => {
  expect(held(new VanishingPolicy(), count, of, false)).toBe(isHeld ? count : 0);
});

test("many vanishing peers go when the third tick confirms it, and no sooner", () => {
  const policy = new VanishingPolicy<string>();
  const tick = () => held(policy, 20, 50, true);
  expect([tick(), tick(), tick()]).toEqual([20, 20, 0]);
});

test("a change between two ticks is no further look", () => {
  const policy = new VanishingPolicy<string>();
  const looks = [true, false, false, false, true, true].map((isTick) => held(policy, 20, 50, isTick));
  expect(looks).toEqual([20, 20, 20, 20, 20, 0]);
});

test("peers that come back in between have to vanish three times anew", () => {
  const policy = new VanishingPolicy<string>();
  const counts = [20, 20, 0, 20, 20, 20].map((count) => held(policy, count, 50, true));
  expect(counts).toEqual([20, 20, 0, 20, 20, 0]);
});
