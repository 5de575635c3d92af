import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../platform/process/version";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { contradiction } from "../../../testing/autopilots/contradiction";
import { giveOrder } from "../../../testing/autopilots/orders";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";

jest.setTimeout(240_000);

/** A parameter with which a vehicle cannot be armed, the value with which it can, and what the reply says of it. */
const FAILURES = {
  ardupilot: [
    { param: "BATT_ARM_VOLT", refusing: 99, usual: 0, says: "Battery 1 below minimum arming voltage" },
    { param: "ARMING_MIS_ITEMS", refusing: 1, usual: 0, says: "Missing mission item" },
  ],
  px4: [
    {
      param: "COM_ARMABLE",
      refusing: 0,
      usual: 1,
      says: "Vehicle is in safety configuration (COM_ARMABLE)",
    },
    { param: "SYS_HAS_MAG", refusing: 4, usual: 1, says: "Found 1 compass (required: 4) (SYS_HAS_MAG)" },
  ],
} as const;

/** What vehicles put before the name of a check, and PX4 behind it. */
const bare = (text: string): string => text.replace(/^(Pre)?Arm: |^Preflight Fail: |\s+$/g, "");

describe.each(autopilots)("%s", (name) => {
  const [first, second] = FAILURES[isPx4(name) ? "px4" : "ardupilot"];
  let vehicle: TestedVehicle;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    await vehicle.order("guided");
  });
  afterAll(() => vehicle?.stop());

  const refuse = async ({ param, refusing, says }: typeof first | typeof second) => {
    const { witness } = vehicle;
    const from = await witness.now();
    await witness.setParam(param, refusing);
    // PX4 repeats its checks now and then, and says what has changed.
    const fails = `Preflight Fail: ${says.replace(/ \([A-Z_]+\)$/, "")}`;
    const isSaid = async () => (await witness.texts(from)).some((text) => text.startsWith(fails));
    if (isPx4(name)) await witness.until("that its check fails", isSaid);
  };
  const allow = ({ param, usual }: typeof first | typeof second) => vehicle.witness.setParam(param, usual);

  /** An order that is refused; the vehicle must not contradict the answer. */
  const refusedOrder = async (path: string, body: Record<string, unknown> = {}) => {
    const given = await giveOrder(vehicle, path, body);
    expect(contradiction(given, name)).toBeUndefined();
    expect(given.status).toBe(500);
    const heard = given.texts.filter((text) => bare(text) !== text.trimEnd()).map(bare);
    return { message: given.message, heard };
  };

  test("a refusal to arm says what the witness hears of the checks that fail then, and of no others", async () => {
    for (const [failure, other] of [
      [first, second],
      [second, first],
    ] as const) {
      await refuse(failure);
      const { message, heard } = await refusedOrder("arm");
      expect(message).toContain(failure.says);
      expect(message).not.toContain(other.says);
      expect(heard).not.toEqual([]);
      for (const text of heard) expect(message.toLowerCase()).toContain(text.toLowerCase());
      await allow(failure);
    }
    await vehicle.witness.readyToArm();
    expect(await vehicle.order("arm")).toMatchObject({ status: 200 });
    expect(await vehicle.order("disarm_drone")).toMatchObject({ status: 200 });
  });

  if (isPx4(name) && !isRover(name)) {
    test("a mode in which PX4 cannot be armed is all that its refusal names", async () => {
      const landing = { mode_info: { custom_mode: "AUTO.LAND" } };
      expect(await vehicle.order("set_mode", landing)).toMatchObject({ status: 200 });
      const { message } = await refusedOrder("arm");
      expect(message).toMatch(/failures first; Mode not suitable for arming"/);
      expect(await vehicle.order("guided")).toMatchObject({ status: 200 });
      await vehicle.witness.readyToArm();
    });
  }

  test("start_mission before arming says all that prevents it", async () => {
    await refuse(first);
    await refuse(second);
    for (const path of ["start_mission", "arm"]) {
      const { message } = await refusedOrder(path, path === "arm" ? {} : { takeoff_altitude: 10 });
      expect(message).toContain(first.says);
      expect(message).toContain(second.says);
    }
    await allow(first);
    await allow(second);
    await vehicle.witness.readyToArm();
    const { message } = await refusedOrder("start_mission", { takeoff_altitude: 10 });
    expect(message).toContain("the drone is not armed. Arm it first.");
  });
});

const tables = ["px4-1.16", "px4-1.18"].map((version) =>
  join(String(process.env.AUTOPILOTS), version, "etc/extras/all_events.json.xz"),
);
if (tables.every((table) => existsSync(table))) {
  test("the table of PX4's checks is made of the tables of its versions", () => {
    const made = execFileSync(join(packageRoot, ".ci/px4-checks/generate.py"), tables);
    const format = ["biome", "format", "--stdin-file-path=px4-checks.ts"];
    const formatted = execFileSync("npx", format, { input: made, cwd: packageRoot, encoding: "utf8" });
    const kept = readFileSync(join(packageRoot, "src/vehicle/mavlink/events/px4-checks.ts"), "utf8");
    expect(formatted).toBe(kept);
  });
}
