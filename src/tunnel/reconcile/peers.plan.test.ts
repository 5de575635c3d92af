import type { Ipv4 } from "../../domain/ipv4";
import { type DesiredPeer, type LivePeer, type Member, type PeerId, peerId } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { type DesiredPeers, planPeers, printPeerPlan } from "./peers.plan";

const desired = (key: string, ip: string): DesiredPeer => ({
  plane: "users",
  rowId: 1,
  keyId: `id-of-${key}`,
  ip: ip as Ipv4,
  publicKey: key as PublicKey,
});
const waiting = (keyId: string, ip: string): Member => ({
  plane: "users",
  rowId: 1,
  keyId,
  ip: ip as Ipv4,
});
const live = (key: string, ...allowedIps: string[]): [PublicKey, LivePeer] => [
  key as PublicKey,
  { publicKey: key as PublicKey, allowedIps, latestHandshake: 0, receivedBytes: 0, sentBytes: 0 },
];

interface Case {
  readonly title: string;
  readonly live: [PublicKey, LivePeer][];
  readonly wanted: Partial<DesiredPeers>;
  readonly plan: string[];
}

const cases: Case[] = [
  {
    title: "a peer that is as desired is left alone",
    live: [live("A", "10.70.0.2/32")],
    wanted: { desired: [desired("A", "10.70.0.2")] },
    plan: [],
  },
  {
    title: "a desired peer that is absent is created",
    live: [],
    wanted: { desired: [desired("A", "10.70.0.2")] },
    plan: ["+ 10.70.0.2 A (created)"],
  },
  {
    title: "a live peer that nobody desires is removed",
    live: [live("A", "10.70.0.2/32")],
    wanted: {},
    plan: ["- 10.70.0.2 A (vanished)"],
  },
  {
    title: "an address under another key is a replacement, the old key removed first",
    live: [live("A", "10.70.0.2/32")],
    wanted: { desired: [desired("B", "10.70.0.2")] },
    plan: ["- 10.70.0.2 A (replaced)", "+ 10.70.0.2 B (created)"],
  },
  {
    title: "two peers that swap addresses get their own back",
    live: [live("A", "10.70.0.3/32"), live("B", "10.70.0.2/32")],
    wanted: { desired: [desired("A", "10.70.0.2"), desired("B", "10.70.0.3")] },
    plan: ["+ 10.70.0.2 A (corrected)", "+ 10.70.0.3 B (corrected)"],
  },
  {
    title: "a peer with more allowed IPs than its own is corrected",
    live: [live("A", "10.70.0.2/32", "0.0.0.0/0")],
    wanted: { desired: [desired("A", "10.70.0.2")] },
    plan: ["+ 10.70.0.2 A (corrected)"],
  },
  {
    title: "a peer without any allowed IP that nobody desires is removed",
    live: [live("A")],
    wanted: {},
    plan: ["- none A (vanished)"],
  },
  {
    title: "whoever may be a member whose key cannot be read now stays",
    live: [live("A", "10.70.0.2/32")],
    wanted: { waiting: [waiting("k1", "10.70.0.2")] },
    plan: [],
  },
  {
    title: "a key known to be an earlier member's goes although the new member's key cannot be read now",
    live: [live("A", "10.70.0.2/32")],
    wanted: {
      waiting: [waiting("k2", "10.70.0.2")],
      ownerOf: () => peerId(waiting("k1", "10.70.0.2")),
    },
    plan: ["- 10.70.0.2 A (replaced)"],
  },
  {
    title: "a key known to be the waiting member's own stays",
    live: [live("A", "10.70.0.2/32")],
    wanted: {
      waiting: [waiting("k1", "10.70.0.2")],
      ownerOf: (): PeerId => peerId(waiting("k1", "10.70.0.2")),
    },
    plan: [],
  },
];

test.each(cases)("$title", ({ live, wanted, plan }) => {
  const planned = planPeers(new Map(live), {
    desired: [],
    waiting: [],
    ownerOf: () => undefined,
    ...wanted,
  });
  expect(printPeerPlan(planned).split("\n").filter(Boolean)).toEqual(plan);
});
