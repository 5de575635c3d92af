import type { Ipv4 } from "../../domain/ipv4";
import type { LivePeer, Member } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { seeded } from "../../testing/fakes/mavlink-stream";
import { Agreement, type Comparison } from "./agreement";
import { planPeers, printPeerPlan } from "./peers.plan";

const member = (row: number, key: number, ip: number): Member => ({
  plane: "users",
  rowId: row,
  keyId: `key-${key}`,
  ip: `10.70.0.${ip}` as Ipv4,
});

/** Keys of members; those of whom it knows none wait. */
class Keys {
  version = 0;
  readonly forgotten = new Set<string>();
  split = (members: readonly Member[]) => ({
    desired: members
      .filter(({ keyId }) => !this.forgotten.has(keyId))
      .map((one) => ({ ...one, publicKey: one.keyId as PublicKey })),
    waiting: members.filter(({ keyId }) => this.forgotten.has(keyId)),
  });
}

const planOf = ({ live, wishes }: Pick<Comparison, "live" | "wishes">) =>
  planPeers(live, { ...wishes, ownerOf: () => undefined });

/** As the interface is after a plan. */
function after(peers: ReadonlyMap<PublicKey, LivePeer>, plan: ReturnType<typeof planPeers>) {
  const next = new Map(peers);
  for (const { publicKey } of plan.remove) next.delete(publicKey);
  for (const { peer } of plan.upsert) {
    const { publicKey, ip } = peer;
    const counters = { latestHandshake: 0, receivedBytes: 0, sentBytes: 0 };
    next.set(publicKey, { publicKey, allowedIps: [`${ip}/32`], ...counters });
  }
  return next;
}

const lines = (plan: ReturnType<typeof planPeers>) => printPeerPlan(plan).split("\n").sort();

test("who came and who went make the same plan as everybody does, change after change", () => {
  const random = seeded(7);
  const any = (below: number) => Math.floor(random() * below);
  const keys = new Keys();
  const agreement = new Agreement(keys);
  let members: Member[] = Array.from({ length: 30 }, (_, at) => member(at, at, at + 2));
  let peers: ReadonlyMap<PublicKey, LivePeer> = new Map();
  let lastKey = 30;
  let parts = 0;
  for (let round = 0; round < 500; round++) {
    const comparison = agreement.compare(members, peers, false);
    if (comparison) {
      if (comparison.live.size < 5) parts++;
      const plan = planOf(comparison);
      expect(lines(plan)).toEqual(lines(planOf({ live: peers, wishes: keys.split(members) })));
      peers = after(peers, plan);
      agreement.settle(comparison, peers, 0);
    }
    const free = () => {
      const taken = new Set<string>(members.map(({ ip }) => ip));
      return Array.from({ length: 60 }, (_, at) => at + 2).filter((ip) => !taken.has(`10.70.0.${ip}`));
    };
    const at = any(members.length);
    const one = members[at] as Member;
    const place = Number(one.ip.split(".")[3]);
    const changes = [
      () => members.filter((_, other) => other !== at),
      () => members.with(at, member(one.rowId, ++lastKey, place)),
      () => members.with(at, member(one.rowId, ++lastKey, free()[any(free().length)] as number)),
      () => [...members, member(++lastKey, lastKey, free()[any(free().length)] as number)],
      // Its address is another's at once.
      () => [...members.filter((_, other) => other !== at), member(++lastKey, lastKey, place)],
      () => [...members],
    ];
    const pick = members.length < 10 ? 3 : members.length > 50 ? 0 : any(changes.length);
    members = (changes[pick] as () => Member[])();
  }
  expect(parts).toBeGreaterThan(300);
});

const two = [member(1, 1, 2), member(2, 2, 3)];

function settled(keys: Keys, members: readonly Member[], held = 0) {
  const agreement = new Agreement(keys);
  const first = agreement.compare(members, new Map(), false) as Comparison;
  const peers = after(new Map(), planOf(first));
  agreement.settle(first, peers, held);
  return { agreement, peers };
}

test("nothing is compared while members, keys and peers are the same, but afresh", () => {
  const keys = new Keys();
  const { agreement, peers } = settled(keys, two);
  expect(agreement.compare(two, peers, false)).toBeUndefined();
  expect(agreement.compare(two, peers, true)?.live.size).toBe(2);
});

test("everybody is compared after the peers or the keys were found to be others", () => {
  const keys = new Keys();
  const { agreement, peers } = settled(keys, two);
  expect(agreement.compare(two, new Map(peers), false)?.live.size).toBe(2);
  keys.version++;
  expect(agreement.compare(two.slice(1), peers, false)?.live.size).toBe(2);
});

test("everybody is compared while a removal is held back, or somebody waits for a key", () => {
  const held = settled(new Keys(), two, 1);
  expect(held.agreement.compare(two.slice(1), held.peers, false)?.live.size).toBe(2);
  const keys = new Keys();
  keys.forgotten.add("key-1");
  const waiting = settled(keys, two);
  expect(waiting.agreement.compare([...two], waiting.peers, false)?.wishes.desired).toHaveLength(1);
});

test("the peer of somebody who went is removed, although the key was forgotten meanwhile", () => {
  const keys = new Keys();
  const { agreement, peers } = settled(keys, two);
  keys.forgotten.add("key-1");
  const comparison = agreement.compare(two.slice(1), peers, false) as Comparison;
  expect(lines(planOf(comparison))).toEqual(["- 10.70.0.2 key-1 (vanished)"]);
});
