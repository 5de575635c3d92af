import { planHash } from "../../../domain/mission-item";
import { atEndOfFile } from "../../../testing";
import { FakeTransferRecords } from "../../../testing/fakes/transfer-records";
import { eventually } from "../../../testing/until";
import { faultyLink } from "../../../testing/worlds/faulty-link";
import { missionItem } from "../../../testing/worlds/plans";
import { startTestSimulator } from "../../../testing/worlds/simulator";
import { createLinkPool, type LinkTarget, type VehicleLink } from "../..";

/** Transfers that break off, and what the next link makes of what they left. At once: a vehicle gives up after 8 s. */
jest.setTimeout(60_000);

const HOME = { lat: 47.1, lng: 8.7, altitude: 400 };
const plan = (altitude: number, items: number) => [
  missionItem({ command: 22, z_alt: altitude, x_lat: HOME.lat, y_long: HOME.lng }),
  ...Array.from({ length: items - 1 }, (_, at) =>
    missionItem({ z_alt: altitude, x_lat: (471_000_000 + 1_000 * at) / 1e7, y_long: 8.7001 }),
  ),
];
const OLD = plan(20, 4);
/** Items that come before the new plan: ArduPilot's old plan and home. PX4's is known by its checksum. */
const readingOld = (autopilot: "ardupilot" | "px4") => (autopilot === "ardupilot" ? OLD.length + 1 : 0);

async function world(autopilot: "ardupilot" | "px4", speedUp = 8) {
  const { vehicle, stop } = await startTestSimulator([{ kind: "copter", autopilot, home: HOME }], speedUp);
  atEndOfFile(stop);
  const { port, faults } = await faultyLink(vehicle);
  const records = new FakeTransferRecords();
  const open = (through: number) => {
    const pool = createLinkPool({ mavlink: { systemId: 245 }, records: () => records });
    atEndOfFile(() => pool.drain(0));
    const target: LinkTarget = { key: "1", host: vehicle.host, port: through, via: "direct" };
    const fly = <T>(use: (link: VehicleLink) => Promise<T>) => pool.withLink(target, use);
    return { fly, close: () => pool.close("1") };
  };
  const { fly, close } = open(port);
  await fly((link) => link.uploadMission(OLD));
  records.verified.length = 0;
  /** The connection breaks when so many items of the new plan have come. */
  const breakAfter = (items: number) => {
    faults.dropAfterItems = readingOld(autopilot) + items;
  };
  return { vehicle, records, fly, close, open, breakAfter };
}

const read = (link: VehicleLink) => link.readMission();

test("a link and its first calls read them once", async () => {
  const { records, fly, close } = await world("ardupilot");
  const reading = jest.spyOn(records, "unfinished");
  close();
  await fly(read);
  await fly(read);
  expect(reading).toHaveBeenCalledTimes(1);
});

describe.each(["ardupilot", "px4"] as const)("of %s", (autopilot) => {
  test.concurrent.each([
    ["a longer plan", 9, 6],
    ["a shorter plan", 3, 2],
    ["a longer plan, of which the first item has come", 9, 1],
  ])("%s that breaks off leaves the plan before it", async (_name, items, come) => {
    const { fly, breakAfter, records } = await world(autopilot);
    breakAfter(come);
    await expect(fly((link) => link.uploadMission(plan(50, items)))).rejects.toMatchObject({
      code: "transfer_failed",
    });
    expect(records.transfers).toHaveLength(1);
    expect(await fly(read)).toMatchObject({ hash: planHash(OLD), is_mixture: false });
    expect(records.transfers).toEqual([]);
    expect(records.verified).toEqual([]);
  });

  test.concurrent("a plan that came whole stays, and is verified, though nobody read it back", async () => {
    const { fly, breakAfter, records, vehicle } = await world(autopilot);
    const sent = plan(50, 6);
    const own = autopilot === "ardupilot" ? 1 : 0;
    // In the middle of the reading back.
    breakAfter(own + sent.length + 3);
    vehicle.setCurrentItem(3);
    await expect(fly((link) => link.uploadMission(sent, { mission_id: 7 }))).rejects.toMatchObject({
      code: "outcome_unknown",
    });
    expect(records.transfers).toMatchObject([{ missionId: 7 }]);
    expect(await fly(read)).toMatchObject({ hash: planHash(sent), is_mixture: false });
    expect(records.transfers).toEqual([]);
    expect(records.verified.map(planHash)).toEqual([planHash(sent)]);
    if (autopilot === "px4") expect(vehicle.state.mission.seq).toBe(0);
  });

  test.concurrent("a plan of another ground station is left alone", async () => {
    const { fly, open, breakAfter, vehicle } = await world(autopilot);
    breakAfter(4);
    await expect(fly((link) => link.uploadMission(plan(50, 9)))).rejects.toThrow();
    const theirs = plan(80, 5);
    await eventually("nobody is connected", () => !vehicle.connected);
    const other = createLinkPool({ mavlink: { systemId: 244 } });
    atEndOfFile(() => other.drain(0));
    const target: LinkTarget = { key: "2", host: vehicle.host, port: vehicle.port, via: "direct" };
    await other.withLink(target, (link) => link.uploadMission(theirs));
    other.close("2");
    expect(await open(vehicle.port).fly(read)).toMatchObject({
      hash: planHash(theirs),
      is_mixture: false,
    });
  });
});

test.concurrent("a fence that breaks off leaves the fence before it", async () => {
  const { fly, records, breakAfter } = await world("ardupilot");
  const square = (size: number) =>
    [
      [-size, -size],
      [-size, size],
      [size, size],
      [size, -size],
    ].map(([north = 0, east = 0]) =>
      missionItem({
        ...{ command: 5001, frame: 0, param1: 4, z_alt: 0 },
        ...{ x_lat: HOME.lat + north, y_long: HOME.lng + east },
      }),
    );
  await fly((link) => link.uploadFence(square(0.01)));
  breakAfter(2);
  await expect(fly((link) => link.uploadFence(square(0.02)))).rejects.toThrow();
  await fly((link) => link.readMission());
  expect(records.transfers).toEqual([]);
});

test.concurrent("a mixture that is being flown is told, and stays until the flight is over", async () => {
  const { fly, breakAfter, records, vehicle } = await world("ardupilot", 4);
  await fly((link) => link.arm());
  await fly((link) => link.takeoff(15));
  await fly((link) => link.setMode("AUTO"));
  breakAfter(4);
  const sent = plan(50, 9);
  await expect(fly((link) => link.uploadMission(sent, { force: true }))).rejects.toThrow();
  const { items, is_mixture } = await fly(read);
  expect(is_mixture).toBe(true);
  expect(new Set(items.map(({ z_alt }) => z_alt))).toEqual(new Set([20, 50]));
  await expect(fly((link) => link.setMode("AUTO"))).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("parts of two missions"),
  });
  await fly((link) => link.land());
  await eventually("it has landed", () => !vehicle.state.armed);
  await eventually("the old plan is back", async () => !(await fly(read)).is_mixture);
  expect((await fly(read)).hash).toBe(planHash(OLD));
  expect(records.transfers).toEqual([]);
});
