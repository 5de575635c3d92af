import { type FleetClient, reply } from "../../client/client";
import { distance, type LatLng } from "../../domain/geo";
import { eventually } from "../../platform/eventually";
import { retry } from "../../platform/retry";
import type { Gamepad } from "./gamepad";
import { fencePoints, flightAltitude, missionPoints } from "./route";
import type { Screen } from "./screen";
import type { VehicleSnapshot, Watch } from "./watch";

/** Metres; telemetry comes in steps of several metres when the simulator runs faster than real time. */
const reached = 10;
/** Metres flown by the sticks. */
const stickWay = 25;
/** A vehicle that has just booted refuses until its position is good. */
const armingLimitMs = 60_000;

/** One demonstration flight of one drone through the public API. */
export class Flight {
  constructor(
    private readonly api: FleetClient["api"],
    private readonly watch: Watch,
    private readonly screen: Screen,
    private readonly droneId: number,
  ) {}

  /** Where the vehicle stands, once it knows. A flight that an earlier demonstration left in the air is ended. */
  async findHome(): Promise<LatLng> {
    await this.watch.until("The vehicle's first position", 60, ({ position, armed }) =>
      Boolean(position && armed !== undefined && (position.lat !== 0 || position.lng !== 0)),
    );
    if (this.watch.seen.armed) {
      this.screen.step("The copter is still in the air: calling it home first");
      await this.command("rtl");
      await this.live("The landing", 120, this.watch.seen.position as LatLng, ({ armed }) => armed === false);
    }
    return this.watch.seen.position as LatLng;
  }

  async storeMission(name: string, home: LatLng): Promise<number> {
    const { api } = this;
    for (const { id: mission_id, name: old } of await reply(api.GET("/missions")))
      if (old === name)
        await reply(api.DELETE("/mission/{mission_id}", { params: { path: { mission_id } } }));
    const { id } = await reply(api.POST("/mission", { body: { name } }));
    for (const point of missionPoints(id, home)) await reply(api.POST("/mission/point", { body: [point] }));
    return id;
  }

  async storeGeofence(name: string, home: LatLng): Promise<number> {
    const { api } = this;
    for (const { id: geofence_id, name: old } of await reply(api.GET("/geofences")))
      if (old === name)
        await reply(api.DELETE("/geofence/{geofence_id}", { params: { path: { geofence_id } } }));
    const fence = { name, type: "polygon", fence_type: "inclusion" } as const;
    const { id } = await reply(api.POST("/geofence", { body: fence }));
    for (const point of fencePoints(id, home)) await reply(api.POST("/geofence/point", { body: [point] }));
    return id;
  }

  /** One of `/drone/action/*`. The gateway checks the fields. */
  async command(action: string, fields: object = {}): Promise<void> {
    const path = `/drone/action/${action}` as "/drone/action/rtl";
    await reply(this.api.POST(path, { body: { drone_id: this.droneId, ...fields } }));
  }

  async arm(): Promise<void> {
    const attempt = async () => {
      try {
        await this.command("guided");
        await this.command("arm");
      } catch (error) {
        this.screen.step(`  not yet: ${(error as Error).message}`);
        throw error;
      }
    };
    await retry(attempt, { firstMs: 2_000, limitMs: armingLimitMs });
  }

  async takeOff(home: LatLng): Promise<void> {
    await this.command("takeoff", { altitude: flightAltitude });
    await this.live("The climb", 60, home, ({ altitude = 0 }) => altitude > flightAltitude * 0.9);
  }

  /** Rejects unless every waypoint was flown over in turn. */
  async flyMission(missionId: number, home: LatLng): Promise<void> {
    await this.command("set_mode", { mode_info: { custom_mode: "AUTO" } });
    for (const waypoint of missionPoints(missionId, home)) {
      await this.live(
        `The way to ${waypoint.label}`,
        60,
        home,
        ({ position }) => position !== undefined && distance(position, waypoint) < reached,
      );
      this.screen.step(`  ${waypoint.label} reached`);
    }
  }

  /** Flies east by the sticks, then sends no more frames: the dead-man timer must stop the vehicle. */
  async flyBySticks(gamepad: Gamepad, home: LatLng): Promise<void> {
    gamepad.hold({});
    const follows = () => gamepad.ages.length >= 5;
    await eventually("Acknowledgements", follows, { limitMs: 10_000, everyMs: 50 }).catch(() => {
      throw new Error(`The drone does not follow the sticks: ${gamepad.refusal ?? "no acknowledgement"}.`);
    });
    await this.command("set_mode", { mode_info: { custom_mode: "LOITER" } });
    const from = this.watch.seen.position as LatLng;
    gamepad.hold({ roll: 1 });
    await this.live(
      "The flight by sticks",
      30,
      home,
      ({ position }) => position !== undefined && distance(position, from) > stickWay,
    );
    const oldest = Math.max(...gamepad.ages);
    this.screen.step(`  ${gamepad.ages.length} frames obeyed, none older than ${oldest} ms`);
    gamepad.letGo();
    await this.live(
      "The dead-man's brake",
      10,
      home,
      ({ mode, speed = 1 }) => mode === "BRAKE" && speed < 0.5,
    );
    this.screen.step("  No stick frame came any more, and the dead-man timer stopped the copter");
  }

  async returnAndLand(home: LatLng): Promise<void> {
    await this.command("rtl");
    await this.live("The return", 90, home, ({ armed }) => armed === false);
    const { position, altitude = Number.NaN } = this.watch.seen;
    const away = position ? distance(home, position) : Number.NaN;
    if (!(away < reached && Math.abs(altitude) < 2)) {
      throw new Error(`It landed ${away.toFixed(0)} m from home at ${altitude.toFixed(1)} m.`);
    }
  }

  private async live(
    what: string,
    limitSeconds: number,
    home: LatLng,
    holds: (seen: VehicleSnapshot) => boolean,
  ): Promise<void> {
    await this.watch.until(what, limitSeconds, (seen) => {
      this.screen.show(seen, home);
      return holds(seen);
    });
    this.screen.settle();
  }
}
