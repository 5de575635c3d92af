import { SimulatedOs } from "../os/simulated-os";
import { PairSet } from "./pair-set";
import type { Pair } from "./pairs";

const pairs = (...texts: string[]) => new Set(texts as Pair[]);
const ports = ["tcp:5001", "tcp:8554", "udp:8554", "udp:14900", "tcp:22"];

test("only pairs that differ are written, removals first, and a second time nothing", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs("10.70.0.2 10.71.0.2 5001", "10.70.0.3 10.71.0.3 5001"));
  os.commands.length = 0;
  const next = pairs("10.70.0.3 10.71.0.3 5001", "10.70.0.4 10.71.0.2 5001");
  expect(await set.set(next)).toEqual({ opened: 5, closed: 5, withheld: 0 });
  expect(await set.set(next)).toEqual({ opened: 0, closed: 0, withheld: 0 });
  expect(os.commands).toEqual([
    [
      "ipset restore -exist <<'END'",
      ...ports.map((port) => `del fleet-pairs 10.70.0.2,${port},10.71.0.2`),
      ...ports.map((port) => `add fleet-pairs 10.70.0.4,${port},10.71.0.2`),
      "END",
    ].join("\n"),
  ]);
});

test("a drone's new port opens and the old one closes; its other ports are not touched", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs("10.70.0.2 10.71.0.2 5001"));
  os.commands.length = 0;
  await set.set(pairs("10.70.0.2 10.71.0.2 6001"));
  expect(os.commands.join()).not.toContain("del fleet-pairs 10.70.0.2,tcp:22");
  expect([...(os.sets.get("fleet-pairs") ?? [])].sort()).toEqual(
    ["tcp:22", "tcp:6001", "tcp:8554", "udp:14900", "udp:8554"].map((port) => `10.70.0.2,${port},10.71.0.2`),
  );
});

test("a pair that other software added to the set is removed after the next inspection", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs());
  os.sets.get("fleet-pairs")?.add("10.70.0.9,tcp:22,10.71.0.2");
  await set.inspect(false);
  expect(await set.set(pairs())).toEqual({ opened: 0, closed: 1, withheld: 0 });
});

test("a pair that may not be opened yet is withheld; the others change all the same", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs("10.70.0.2 10.71.0.2 5001"));
  const next = pairs("10.70.0.3 10.71.0.2 5001", "10.70.0.4 10.71.0.4 5001");
  const isFree = (pair: Pair) => !pair.includes("10.71.0.2");
  expect(await set.set(next, isFree)).toEqual({ opened: 5, closed: 5, withheld: 1 });
  expect([...(os.sets.get("fleet-pairs") ?? [])].join()).not.toContain("10.71.0.2");
  expect(await set.set(next)).toEqual({ opened: 5, closed: 0, withheld: 0 });
});

test("a daemon that starts keeps the pairs that the kernel allows", async () => {
  const os = new SimulatedOs();
  const open = pairs("10.70.0.2 10.71.0.2 5001");
  await new PairSet(os).set(open);
  const next = new PairSet(os);
  expect(await next.set(open, () => false)).toEqual({ opened: 0, closed: 0, withheld: 0 });
});

test("an element that was exchanged for another is found by comparing each element", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  const open = pairs("10.70.0.2 10.71.0.2 5001");
  await set.set(open);
  os.sets.get("fleet-pairs")?.delete("10.70.0.2,tcp:22,10.71.0.2");
  os.sets.get("fleet-pairs")?.add("10.70.0.9,tcp:22,10.71.0.2");
  await set.inspect(false);
  expect(await set.set(open)).toEqual({ opened: 0, closed: 0, withheld: 0 });
  await set.inspect(true);
  expect(await set.set(open)).toEqual({ opened: 1, closed: 1, withheld: 0 });
});

test("a set that is written while it is inspected is not read again", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs("10.70.0.2 10.71.0.2 5001"));
  const next = pairs("10.70.0.3 10.71.0.2 5001");
  for (const thorough of [false, true]) {
    await Promise.all([set.inspect(thorough), set.set(thorough ? next : pairs())]);
    os.commands.length = 0;
    expect(await set.set(thorough ? next : pairs())).toEqual({ opened: 0, closed: 0, withheld: 0 });
    expect(os.commands).toEqual([]);
  }
});

test("after a failed write the kernel's own list is looked at again", async () => {
  const os = new SimulatedOs();
  const set = new PairSet(os);
  await set.set(pairs("10.70.0.2 10.71.0.2 5001"));
  os.fault = (command) => {
    if (command.startsWith("ipset restore")) throw new Error("no memory");
  };
  await expect(set.set(pairs())).rejects.toThrow("no memory");
  os.fault = () => {};
  expect(await set.set(pairs())).toEqual({ opened: 0, closed: 5, withheld: 0 });
  expect([...(os.sets.get("fleet-pairs") ?? [])]).toEqual([]);
});
