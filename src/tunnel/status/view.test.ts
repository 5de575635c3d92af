import type { Ipv4 } from "../../domain/ipv4";
import type { LivePeer, PeerId } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { StatusView } from "./view";

const NOW = 1_700_000_000;
const ip = "10.71.0.2" as Ipv4;
const peerAt = (latestHandshake: number): LivePeer => ({
  publicKey: "k" as PublicKey,
  allowedIps: [`${ip}/32`],
  latestHandshake,
  receivedBytes: 1,
  sentBytes: 2,
});

test.each([
  ["just now", NOW, true],
  ["180 seconds ago", NOW - 180, true],
  ["181 seconds ago", NOW - 181, false],
  ["never", 0, false],
])("a tunnel with its last handshake %s: up is %s", (_, latestHandshake, up) => {
  const live = new Map([["k" as PublicKey, peerAt(latestHandshake)]]);
  const id = "drones//10.71.0.2" as PeerId;
  const drone = { id, plane: "drones" as const, rowId: 7, keyId: "", ip, ownerId: 1, port: 5001 };
  const byAddress = { users: new Map(), drones: new Map() };
  const fleet = { users: [], drones: [drone], byAddress, faults: [] };
  const view = new StatusView(
    { users: { live: new Map(), isKnown: true }, drones: { live, isKnown: true } },
    { allowState: {}, currentFleet: fleet },
    { now: () => new Date(NOW * 1_000) },
  );
  expect(view.peer("drones", ip)).toEqual({
    ip,
    status: up,
    configured: true,
    latest_handshake: latestHandshake,
  });
  expect(view.peer("users", ip)).toBeUndefined();
  expect(view.drones([ip])[7]?.is_active).toBe(up);
});

test("before the database has been read the firewall is not reported as closed, nor a drone as unknown", () => {
  const unread = { allowState: {}, currentFleet: undefined };
  const live = new Map([["k" as PublicKey, peerAt(NOW)]]);
  const planes = { users: { live: new Map(), isKnown: false }, drones: { live, isKnown: false } };
  const view = new StatusView(planes, unread, { now: () => new Date(NOW * 1_000) });
  expect(() => view.firewall()).toThrow("The database has not been read yet.");
  expect(() => view.drones([ip])).toThrow("The database has not been read yet.");
  expect(view.peer("drones", ip)?.status).toBe(true);
  expect(() => view.peer("users", ip)).toThrow("have not been compared with the database yet");
});
