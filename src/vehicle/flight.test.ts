import { eventually } from "../testing/until";
import { faultyLink, type LinkFaults } from "../testing/worlds/faulty-link";
import { startJumphost, type TestJumphost } from "../testing/worlds/jumphost";
import { plainWaypoint } from "../testing/worlds/plans";
import {
  startTestSimulator,
  type TestSimulator,
  type TestVehicle,
  type TestVehicleOptions,
} from "../testing/worlds/simulator";
import { createLinkPool, type LinkPool, type LinkTarget, type TelemetryMessage, type VehicleLink } from ".";
import { toFence, toFlightPlan, type Waypoint } from "./flight-plan.plan";

/** Flights against the built-in simulated vehicle, over real TCP, at many times the speed of life. */
jest.setTimeout(60_000);

const SPEED_UP = 15;
const HOME = { lat: 47.397742, lng: 8.545594, altitude: 488 };

let simulator: TestSimulator | undefined;
let pool: LinkPool | undefined;
let jumphost: TestJumphost | undefined;

afterEach(async () => {
  await pool?.drain(100);
  await simulator?.stop();
  await jumphost?.stop();
  pool = simulator = jumphost = undefined;
});

interface Scene {
  readonly vehicle: TestVehicle;
  readonly target: LinkTarget;
  readonly faults: LinkFaults | undefined;
  fly<T>(use: (link: VehicleLink) => Promise<T>): Promise<T>;
}

/** With `faults`, the vehicle is reached over a link that has them. */
async function scene(
  options: TestVehicleOptions,
  via: LinkTarget["via"] = "direct",
  faults?: Partial<LinkFaults>,
): Promise<Scene> {
  simulator = await startTestSimulator([{ home: HOME, bootSeconds: 1, ...options }], SPEED_UP);
  if (via === "jumphost") jumphost = await startJumphost({ secret: "open sesame" });
  pool = createLinkPool({
    mavlink: { systemId: 245 },
    jumphost: jumphost && { url: jumphost.url, secret: "open sesame" },
    backoff: { firstMs: 20, maxMs: 200 },
  });
  const vehicle = simulator.vehicle;
  const link = faults && (await faultyLink(vehicle, faults));
  const target: LinkTarget = { key: "1", host: vehicle.host, port: link?.port ?? vehicle.port, via };
  const thePool = pool;
  return { vehicle, target, faults: link?.faults, fly: (use) => thePool.withLink(target, use) };
}

/** Arming is refused until the vehicle is through its own checks, as after any power-on. */
async function armWhenReady({ fly, vehicle }: Scene): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await fly((link) => link.arm());
      await eventually("the vehicle is armed", () => vehicle.state.armed);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

/** ArduPilot enters AUTO in the air; PX4 takes off by itself, and disarms when it waits too long for its mode. */
async function startMission(copter: Scene, autopilot: "ardupilot" | "px4") {
  if (autopilot === "px4") {
    await armWhenReady(copter);
    const entered = await copter.fly((link) => link.setMode("AUTO.MISSION"));
    // It may have disarmed while a bad line held up the mode.
    await armWhenReady(copter);
    return entered;
  }
  await armWhenReady(copter);
  await copter.fly((link) => link.takeoff(15));
  return copter.fly((link) => link.setMode("auto"));
}

const waypoint = (sequence: number, north: number, east: number, altitude: number): Waypoint => ({
  lat: Math.round((HOME.lat + north / 111_320) * 1e7) / 1e7,
  lng: Math.round((HOME.lng + east / 75_350) * 1e7) / 1e7,
  altitude,
  type: "fly",
  sequence,
  ...plainWaypoint,
});

const WAYPOINTS = [waypoint(1, 40, 0, 20), waypoint(2, 40, 40, 25), waypoint(3, 0, 0, 20)];
const PLAN = toFlightPlan(WAYPOINTS, "copter");

const square = (metres: number) =>
  toFence([
    {
      type: "polygon",
      fence_type: "inclusion",
      enabled: true,
      geofence_points: [
        [metres, -metres],
        [metres, metres],
        [-metres, metres],
        [-metres, -metres],
      ].map(([north = 0, east = 0], sequence) => ({ ...waypoint(sequence, north, east, 0), command: 0 })),
    },
  ]);

test("a copter of PX4 begins a second plan with its first item, and takes rows with a position that means nothing", async () => {
  const copter = await scene({ kind: "copter", autopilot: "px4" });
  await copter.fly((link) => link.uploadMission(PLAN));
  const afterwards = toFlightPlan([...WAYPOINTS, { ...waypoint(4, 0, 0, 20), command: 20 }], "copter");
  copter.vehicle.setCurrentItem(2);
  const { adjusted } = await copter.fly((link) => link.uploadMission(afterwards));
  expect(adjusted).toEqual([]);
  expect(copter.vehicle.state.mission.seq).toBe(0);
});

describe.each(["ardupilot", "px4"] as const)("a copter of %s", (autopilot) => {
  test("takes a plan, flies it in its mission mode, and holds it afterwards", async () => {
    const copter = await scene({ kind: "copter", autopilot });
    const sent = await copter.fly((link) => link.uploadMission(PLAN));
    expect(sent.items).toHaveLength(4);
    const entered = await startMission(copter, autopilot);
    expect(entered.result).toBe("MAV_RESULT_ACCEPTED");
    let highest = 0;
    await eventually("the mission is done", () => {
      highest = Math.max(highest, copter.vehicle.state.relativeAltitude);
      return copter.vehicle.state.mission.state === "complete";
    });
    expect(highest).toBeGreaterThan(24);
    const kept = await copter.fly((link) => link.readMission());
    expect(kept.hash).toBe(sent.hash);
  });

  test("takes off in guided mode, flies to a target position, and lands", async () => {
    const copter = await scene({ kind: "copter", autopilot });
    await armWhenReady(copter);
    await copter.fly((link) => link.takeoff(12));
    await eventually("it is at 12 m", () => Math.abs(copter.vehicle.state.relativeAltitude - 12) < 0.7);

    const to = waypoint(1, 30, 20, 18);
    await copter.fly((link) => link.goTo(to));
    await eventually(
      "it is there",
      () =>
        Math.abs(copter.vehicle.state.position.lat - to.lat) < 2e-5 &&
        Math.abs(copter.vehicle.state.position.lng - to.lng) < 2e-5 &&
        Math.abs(copter.vehicle.state.relativeAltitude - 18) < 1,
    );

    // East, north and up from home.
    const back = waypoint(1, -10, 5, 14);
    const moved = await copter.fly((link) => link.move({ x: 5, y: -10, z: 14 }));
    expect(moved.result).toBe(autopilot === "px4" ? "MAV_RESULT_ACCEPTED" : "TARGET_CONFIRMED");
    await eventually(
      "it has moved",
      () =>
        Math.abs(copter.vehicle.state.position.lat - back.lat) < 2e-5 &&
        Math.abs(copter.vehicle.state.position.lng - back.lng) < 2e-5 &&
        Math.abs(copter.vehicle.state.relativeAltitude - 14) < 1,
    );

    await copter.fly((link) => link.land());
    await eventually("it has landed", () => copter.vehicle.state.landed && !copter.vehicle.state.armed);
  });

  test("takes a fence, reports whether it is active, and clears it", async () => {
    const copter = await scene({ kind: "copter", autopilot });
    const uploaded = await copter.fly((link) => link.uploadFence(square(80)));
    expect(uploaded.items).toBe(4);
    const [name, value] = autopilot === "px4" ? (["GF_ACTION", 3] as const) : (["FENCE_ENABLE", 1] as const);
    await copter.fly((link) => link.writeParam(name, value));
    const again = await copter.fly((link) => link.uploadFence(square(90)));
    expect(again.enforcement.active).toBe(true);
    expect(again.enforcement.params).toContainEqual({ param_id: name, value });
    const cleared = await copter.fly((link) => link.uploadFence([]));
    expect(cleared).toMatchObject({ items: 0, enforcement: { active: false } });
  });

  test("returns all parameters or single ones by name, and sets new values", async () => {
    const copter = await scene({ kind: "copter", autopilot });
    const { params, total } = await copter.fly((link) => link.pullParams());
    expect(params).toHaveLength(total);
    expect(total).toBeGreaterThan(100);
    const name = autopilot === "px4" ? "COM_DL_LOSS_T" : "FENCE_ACTION";
    await copter.fly((link) => link.writeParam(name, 2));
    expect(await copter.fly((link) => link.readParams([name]))).toEqual([{ param_id: name, value: 2 }]);
    expect(copter.vehicle.param(name)).toBe(2);
  });

  test("flies its plan on a link that loses every tenth frame both ways", async () => {
    const copter = await scene({ kind: "copter", autopilot }, "direct", { losePercent: 10 });
    const sent = await copter.fly((link) => link.uploadMission(PLAN));
    expect(sent.items).toHaveLength(PLAN.length);
    await copter.fly((link) => link.uploadFence(square(100)));
    await startMission(copter, autopilot);
    await eventually("the mission is done", () => copter.vehicle.state.mission.state === "complete");
  });

  test("an upload fails when its connection drops, and the next upload succeeds", async () => {
    const copter = await scene({ kind: "copter", autopilot }, "direct", { dropAfterItems: 2 });
    await expect(copter.fly((link) => link.uploadMission(PLAN))).rejects.toMatchObject({
      code: "transfer_failed",
    });
    const again = await copter.fly((link) => link.uploadMission(PLAN));
    expect(again.items).toHaveLength(PLAN.length);
  });
});

test("a plan is not replaced while a copter flies it, unless forced", async () => {
  const copter = await scene({ kind: "copter" });
  await copter.fly((link) => link.uploadMission(PLAN));
  await armWhenReady(copter);
  await copter.fly((link) => link.takeoff(10));
  await copter.fly((link) => link.setMode("AUTO"));
  const shorter = PLAN.slice(0, 2);
  await expect(copter.fly((link) => link.uploadMission(shorter))).rejects.toMatchObject({ code: "conflict" });
  const forced = await copter.fly((link) => link.uploadMission(shorter, { force: true }));
  expect(forced.items).toHaveLength(2);
});

test("a copter that refuses to arm gives the reason", async () => {
  const copter = await scene({ kind: "copter", bootSeconds: 3_600 });
  await expect(copter.fly((link) => link.arm())).rejects.toMatchObject({
    code: "vehicle_refused",
    message: expect.stringMatching(/MAV_RESULT_\w+\).*Need Position Estimate/),
  });
});

test("an unknown parameter is refused by name, whether or not the vehicle reports it as unknown", async () => {
  const copter = await scene({ kind: "copter" });
  await expect(copter.fly((link) => link.readParams(["NO_SUCH_PARAM"]))).rejects.toMatchObject({
    code: "vehicle_refused",
    message: expect.stringContaining("MAV_PARAM_ERROR_DOES_NOT_EXIST"),
  });
});

test("a rover drives its plan, and neither takes off nor lands", async () => {
  const rover = await scene({ kind: "rover" });
  const plan = toFlightPlan([waypoint(1, 10, 0, 0), waypoint(2, 10, 10, 0)], "rover");
  expect(plan).toHaveLength(2);
  await rover.fly((link) => link.uploadMission(plan));
  await expect(rover.fly((link) => link.takeoff(5))).rejects.toMatchObject({ code: "not_supported" });
  await armWhenReady(rover);
  await rover.fly((link) => link.setMode("AUTO"));
  await eventually("it has driven there", () => rover.vehicle.state.mission.state === "complete");
});

test("a mission is flown through a jumphost, and its watcher gets telemetry again after the pipe breaks", async () => {
  const copter = await scene({ kind: "copter" }, "jumphost");
  const states: string[] = [];
  const seen = new Map<TelemetryMessage["type"], TelemetryMessage>();
  const stop = pool!.subscribe(copter.target, {
    onMessage: (message) => void seen.set(message.type, message),
    onState: (state) => void states.push(state),
  });
  await eventually("telemetry of every kind has come", () =>
    ["gps", "raw_gps", "home", "relalt", "hud", "imu", "diagnostics", "system"].every((type) =>
      seen.has(type as TelemetryMessage["type"]),
    ),
  );
  await copter.fly((link) => link.uploadMission(PLAN));
  await armWhenReady(copter);
  await copter.fly((link) => link.takeoff(15));
  await copter.fly((link) => link.setMode("AUTO"));
  const [pipe] = jumphost!.pipes;
  expect(pipe).toMatchObject({ address: copter.vehicle.host, port: copter.vehicle.port });
  pipe!.pipe.end("gateway_lost");
  await eventually("the watch is up again", () => states.join() === "up,down,up");
  seen.clear();
  await eventually("telemetry flows again", () => seen.has("gps") && seen.has("hud"));
  await eventually("the mission is done", () => copter.vehicle.state.mission.state === "complete");
  stop();
});

test("a vehicle that sends nothing over an open connection is disconnected, and connected again later", async () => {
  const copter = await scene({ kind: "copter" }, "direct", {});
  await pool!.drain(0);
  pool = createLinkPool({
    mavlink: { systemId: 245, timings: { heartbeatTimeoutMs: 1500 } },
    backoff: { firstMs: 20, maxMs: 200 },
  });
  const states: string[] = [];
  const stop = pool.subscribe(copter.target, {
    onMessage: () => {},
    onState: (state) => void states.push(state),
  });
  await eventually("it is watched", () => states.length === 1);
  copter.faults!.silent = true;
  await eventually("it is given up", () => states.join() === "up,down");
  copter.faults!.silent = false;
  await eventually("it is back", () => states.join() === "up,down,up");
  stop();
});
