import type { PublicKey } from "../../domain/wireguard";
import type { PeerPlan } from "./peers.plan";
import { isMany, keepPeersWhenManyVanish, VanishingPolicy } from "./policies";

const vanishing = (count: number, why: "vanished" | "replaced" = "vanished"): PeerPlan => ({
  remove: Array.from({ length: count }, (_, index) => ({
    publicKey: `K${index}` as PublicKey,
    ip: `10.70.0.${index + 2}`,
    why,
  })),
  upsert: [],
});

test.each([
  { count: 5, of: 6, many: false },
  { count: 6, of: 6, many: true },
  { count: 100, of: 1000, many: false },
  { count: 101, of: 1000, many: true },
])("$count of $of vanishing at once is many: $many", ({ count, of, many }) => {
  expect(isMany(count, of)).toBe(many);
});

test("a few vanishing peers go at once", () => {
  const kept = keepPeersWhenManyVanish(vanishing(5), 50, false, new VanishingPolicy());
  expect(kept).toEqual({ plan: vanishing(5), held: 0 });
});

test("many vanishing peers go when the third tick agrees, and no sooner", () => {
  const policy = new VanishingPolicy<string>();
  const held = () => keepPeersWhenManyVanish(vanishing(20), 50, true, policy).held;
  expect([held(), held(), held()]).toEqual([20, 20, 0]);
});

test("a change between two ticks is no further look", () => {
  const policy = new VanishingPolicy<string>();
  const held = (isTick: boolean) => keepPeersWhenManyVanish(vanishing(20), 50, isTick, policy).held;
  expect([held(true), held(false), held(false), held(false), held(true), held(true)]).toEqual([
    20, 20, 20, 20, 20, 0,
  ]);
});

test("peers that come back in between have to vanish three times anew", () => {
  const policy = new VanishingPolicy<string>();
  const held = (count: number) => keepPeersWhenManyVanish(vanishing(count), 50, true, policy).held;
  expect([held(20), held(20), held(0), held(20), held(20), held(20)]).toEqual([20, 20, 0, 20, 20, 0]);
});

test("a replaced key is never kept, however many are replaced at once", () => {
  const kept = keepPeersWhenManyVanish(vanishing(50, "replaced"), 50, true, new VanishingPolicy());
  expect(kept.held).toBe(0);
  expect(kept.plan.remove).toHaveLength(50);
});
