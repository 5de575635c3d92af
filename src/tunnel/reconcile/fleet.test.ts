import { allowStateOf, elementsOf, pairsOf } from "../firewall/pairs";
import { type FleetRow, readFleet, validateRow } from "./fleet";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const user = (id: number, ip: string): FleetRow => ({
  plane: "users",
  id,
  ip,
  key_id: uuid(id),
  owner: null,
  port: null,
});
const drone = (id: number, ip: string, owner: number, port: number | null = 5001): FleetRow => ({
  plane: "drones",
  id,
  ip,
  key_id: uuid(1000 + id),
  owner,
  port,
});
const sound = [user(1, "10.70.0.2"), user(2, "10.70.0.3"), drone(7, "10.71.0.2", 1)];

test.each([
  ["the network's own address", user(3, "10.70.0.0"), "address_outside_plane"],
  ["the hub's address", user(3, "10.70.0.1"), "address_outside_plane"],
  ["the broadcast address", user(3, "10.70.255.255"), "address_outside_plane"],
  ["a drone's address for a user", user(3, "10.71.0.9"), "address_outside_plane"],
  ["a user's address for a drone", drone(3, "10.70.0.9", 1), "address_outside_plane"],
  ["an address of the simulated block", drone(3, "10.71.240.1", 1), "address_outside_plane"],
  ["an IPv6 address", user(3, "fd00::2"), "address_outside_plane"],
  ["an address that an older row has", user(3, "10.70.0.3"), "duplicate_address"],
] as const)("%s is named and left out, the others stand", (_, row, fault) => {
  const fleet = readFleet([...sound, row].map(validateRow));
  expect(fleet.faults).toEqual([{ plane: row.plane, id: row.id, fault, value: row.ip }]);
  expect([...fleet.users, ...fleet.drones].map(({ rowId }) => rowId)).toEqual([1, 2, 7]);
});

test.each([0, 65_536, -1, null])(
  "port %s is named; the drone keeps its tunnel and its other ports",
  (port) => {
    const fleet = readFleet([user(1, "10.70.0.2"), drone(7, "10.71.0.2", 1, port)].map(validateRow));
    expect(fleet.faults).toEqual([
      { plane: "drones", id: 7, fault: "port_out_of_range", value: String(port) },
    ]);
    expect([...pairsOf(fleet)].flatMap(elementsOf)).toEqual([
      "10.70.0.2,tcp:8554,10.71.0.2",
      "10.70.0.2,udp:8554,10.71.0.2",
      "10.70.0.2,udp:14900,10.71.0.2",
      "10.70.0.2,tcp:22,10.71.0.2",
    ]);
  },
);

test("an owner's pairs are the drone's port, 8554 on both protocols, 14900 and 22", () => {
  expect([...pairsOf(readFleet(sound.map(validateRow)))].flatMap(elementsOf)).toEqual([
    "10.70.0.2,tcp:5001,10.71.0.2",
    "10.70.0.2,tcp:8554,10.71.0.2",
    "10.70.0.2,udp:8554,10.71.0.2",
    "10.70.0.2,udp:14900,10.71.0.2",
    "10.70.0.2,tcp:22,10.71.0.2",
  ]);
});

test("a user without drones is listed with no drone", () => {
  expect(allowStateOf(readFleet(sound.map(validateRow)))).toMatchObject({
    "10.70.0.3": { user_id: 2, drones: [] },
  });
});

test("a drone whose port is one of the fixed ones is listed with it once", () => {
  const state = allowStateOf(
    readFleet([user(1, "10.70.0.2"), drone(7, "10.71.0.2", 1, 22)].map(validateRow)),
  );
  expect(state["10.70.0.2"]?.drones[0]?.ports.filter(({ port }) => port === 22)).toHaveLength(1);
});
