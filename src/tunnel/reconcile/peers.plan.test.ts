import type { Ipv4 } from "../../domain/ipv4";
import { type DesiredPeer, type LivePeer, type Member, toMember } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { type PeerPlan, planPeers } from "./peers.plan";

const desired = (key: string, ip: string): DesiredPeer => ({
  ...waiting(`id-of-${key}`, ip),
  publicKey: key as PublicKey,
});
const waiting = (keyId: string, ip: string): Member =>
  toMember({ plane: "users", rowId: 1, keyId, ip: ip as Ipv4 });
const live = (key: string, ...allowedIps: string[]): [PublicKey, LivePeer] => [
  key as PublicKey,
  { publicKey: key as PublicKey, allowedIps, latestHandshake: 0, receivedBytes: 0, sentBytes: 0 },
];

interface Case {
  readonly title: string;
  readonly live: [PublicKey, LivePeer][];
  /** Members whose keys are known. */
  readonly desired?: DesiredPeer[];
  /** Members that wait for their keys. */
  readonly waiting?: Member[];
  /** Keys of earlier members. */
  readonly others?: [Member, string][];
  readonly plan: string[];
}

const cases: Case[] = [
  {
    title: "a peer that is as desired is left alone",
    live: [live("A", "10.70.0.2/32")],
    desired: [desired("A", "10.70.0.2")],
    plan: [],
  },
  {
    title: "a surplus peer is removed also when two members have one key",
    live: [live("A", "10.70.0.2/32"), live("B", "10.70.0.9/32")],
    desired: [desired("A", "10.70.0.2"), { ...desired("C", "10.70.0.3"), publicKey: "A" as PublicKey }],
    plan: ["- 10.70.0.9 B (vanished)", "+ 10.70.0.3 A (corrected)"],
  },
  {
    title: "a desired peer that is absent is created",
    live: [],
    desired: [desired("A", "10.70.0.2")],
    plan: ["+ 10.70.0.2 A (created)"],
  },
  {
    title: "a live peer that nobody desires is removed",
    live: [live("A", "10.70.0.2/32")],
    plan: ["- 10.70.0.2 A (vanished)"],
  },
  {
    title: "an address under another key is a replacement, the old key removed first",
    live: [live("A", "10.70.0.2/32")],
    desired: [desired("B", "10.70.0.2")],
    plan: ["- 10.70.0.2 A (replaced)", "+ 10.70.0.2 B (created)"],
  },
  {
    title: "two peers that swap addresses get their own back",
    live: [live("A", "10.70.0.3/32"), live("B", "10.70.0.2/32")],
    desired: [desired("A", "10.70.0.2"), desired("B", "10.70.0.3")],
    plan: ["+ 10.70.0.2 A (corrected)", "+ 10.70.0.3 B (corrected)"],
  },
  {
    title: "a peer with more allowed IPs than its own is corrected",
    live: [live("A", "10.70.0.2/32", "0.0.0.0/0")],
    desired: [desired("A", "10.70.0.2")],
    plan: ["+ 10.70.0.2 A (corrected)"],
  },
  {
    title: "a peer without any allowed IP that nobody desires is removed",
    live: [live("A")],
    plan: ["- none A (vanished)"],
  },
  {
    title: "a peer that may be a member whose key cannot be read now stays",
    live: [live("A", "10.70.0.2/32")],
    waiting: [waiting("k1", "10.70.0.2")],
    plan: [],
  },
  {
    title: "a key known to be an earlier member's goes although the new member's key cannot be read now",
    live: [live("A", "10.70.0.2/32")],
    waiting: [waiting("k2", "10.70.0.2")],
    others: [[waiting("k1", "10.70.0.2"), "A"]],
    plan: ["- 10.70.0.2 A (replaced)"],
  },
];

test.each(cases)("$title", ({ live, desired = [], waiting = [], others = [], plan }) => {
  const keys = new Map(desired.map((peer) => [peer.id, peer as { publicKey: PublicKey }]));
  for (const [member, key] of others) keys.set(member.id, { publicKey: key as PublicKey });
  expect(
    print(
      planPeers(new Map(live), new Map([...desired, ...waiting].map((member) => [member.ip, member])), keys),
    ),
  ).toEqual(plan);
});

test("a key whose member is known is removed under that member's name, whatever its row's address", () => {
  const keys = new Map([[waiting("k1", "10.70.0.9").id, { publicKey: "A" as PublicKey }]]);
  const { remove } = planPeers(new Map([live("A", "10.70.0.9/32")]), new Map(), keys);
  expect(remove).toMatchObject([{ owner: "users/k1/10.70.0.9", why: "vanished" }]);
});

/** One change a line. */
const print = ({ remove, upsert }: PeerPlan): string[] => [
  ...remove.map(({ publicKey, ip, why }) => `- ${ip} ${publicKey} (${why})`),
  ...upsert.map(({ peer, why }) => `+ ${peer.ip} ${peer.publicKey} (${why})`),
];
