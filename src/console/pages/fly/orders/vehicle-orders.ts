import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import { type FleetClient, reply } from "../../../../client/client";
import { height } from "../../../format/units";
import type { LatLng } from "../../../map/features";
import { OrderLog } from "../../../orders/order-log";
import { now } from "../../../parts/now";
import { strings } from "../../../strings";
import type { VehicleState } from "../vehicle-state";
import { MissionStart } from "./mission-start";

type Drone = components["schemas"]["Drone"];
export type VehicleModes = components["schemas"]["VehicleModes"];

const text = strings.fly.orders;

/** Between two tries to read the modes. */
const TRY_EVERY_MS = 5_000;

/** Metres above home, and metres and metres per second, beyond which a vehicle does not stand on the ground. */
const IN_THE_AIR = { height: 1, speed: 0.5 };

/**
 * The orders to the page's drone, each with its outcome in `log`. Any of them may be given while others are under way. A
 * `why…` says why an order makes no sense now, by fresh telemetry alone; it is empty otherwise.
 */
export class VehicleOrders {
  readonly log = new OrderLog();
  /** Undefined until they were read from the vehicle. */
  readonly modes = signal<VehicleModes | undefined>(undefined);
  readonly missionStart: MissionStart;

  constructor(
    private readonly client: FleetClient,
    private readonly drone: Drone,
    private readonly state: VehicleState,
  ) {
    this.missionStart = new MissionStart(state, () => this.setMode("AUTO", text.flyMission));
  }

  private readonly isRover = computed(() => (this.modes.value ?? this.drone).vehicle_type === "rover");
  /** Undefined when not known. */
  private readonly isArmed = computed(() =>
    this.state.isFresh(this.state.armed.value) ? this.state.armed.value?.value : undefined,
  );

  /** By its height and speed: a guess. Undefined when not known. */
  readonly isInTheAir: ReadonlySignal<boolean | undefined> = computed(() => {
    const { height, isFresh, newest } = this.state;
    if (this.isArmed.value === false) return false;
    const hud = newest.hud.value;
    if (this.isArmed.value === undefined || !height.value || !hud) return undefined;
    if (!isFresh(height.value) || !isFresh(hud)) return undefined;
    const { groundspeed, climb } = hud.value;
    return (
      height.value.value > IN_THE_AIR.height || Math.max(groundspeed, Math.abs(climb)) > IN_THE_AIR.speed
    );
  });
  /** Whether a plain disarming is what the pilot means. */
  readonly mayDisarm = computed(() => this.isRover.value || this.isInTheAir.value === false);

  readonly whyNotArm = computed(() => (this.isArmed.value === true ? text.why.armed : ""));
  readonly whyNotDisarm = computed(() => (this.isArmed.value === false ? text.why.disarmed : ""));
  readonly whyNotTakeOff = computed(() => (this.isRover.value ? text.why.rover : this.whyNotDisarm.value));
  readonly whyNotLand = this.whyNotTakeOff;
  readonly whyNotReturn = this.whyNotDisarm;
  readonly whyNotGo = this.whyNotDisarm;
  readonly whyNotStart = computed(() => {
    if (this.isArmed.value === false) return text.why.disarmed;
    if (this.state.mission.value?.value.state === "none") return text.why.noMission;
    return this.missionStart.isUnderWay.value ? text.why.starts : "";
  });
  readonly whyNotContinue = computed(() => {
    if (this.isArmed.value === false) return text.why.disarmed;
    if (!this.isRover.value && this.isInTheAir.value === false) return text.why.onGround;
    return this.state.mission.value?.value.state === "flying" ? text.why.flying : "";
  });

  /** Reads the modes when the vehicle answers, until they are read. Returns what ends that. */
  follow(): () => void {
    let triedAt = Number.NEGATIVE_INFINITY;
    return effect(() => {
      const isDue = now.value - triedAt > TRY_EVERY_MS;
      if (!this.state.isLive.value || this.modes.value || !isDue) return;
      triedAt = now.value;
      void this.readModes();
    });
  }

  private async readModes(): Promise<void> {
    const path = { drone_id: this.drone.id };
    const read = reply(this.client.api.GET("/drone/{drone_id}/modes", { params: { path } }));
    this.modes.value = await read.catch(() => undefined);
  }

  arm() {
    return this.give(text.arm, () => reply(this.client.api.POST("/drone/action/arm", { body: this.body() })));
  }

  /** `force`: the motors stop in the air, too. */
  disarm(force = false) {
    const label = force ? text.stopMotors : text.disarm;
    const body = { ...this.body(), ...(force ? { force } : {}) };
    return this.give(label, () => reply(this.client.api.POST("/drone/action/disarm_drone", { body })));
  }

  /** Metres above home. */
  takeOff(altitude: number) {
    const body = { ...this.body(), altitude };
    return this.give(text.takeOffTo(height(altitude)), () =>
      reply(this.client.api.POST("/drone/action/takeoff", { body })),
    );
  }

  land() {
    return this.give(text.land, () =>
      reply(this.client.api.POST("/drone/action/land", { body: this.body() })),
    );
  }

  returnHome() {
    return this.give(text.returnHome, () =>
      reply(this.client.api.POST("/drone/action/rtl", { body: this.body() })),
    );
  }

  /** In the mode in which it holds its place. Before its modes are known that is guided mode, which each autopilot has. */
  stopHere(label: string = text.stop) {
    const stopping = this.modes.peek()?.stopping;
    return this.give(label, () =>
      stopping
        ? reply(this.client.api.POST("/drone/action/set_mode", { body: this.modeBody(stopping) }))
        : reply(this.client.api.POST("/drone/action/guided", { body: this.body() })),
    );
  }

  setMode(mode: string, label: string = text.modeOf(mode)) {
    return this.give(label, () =>
      reply(this.client.api.POST("/drone/action/set_mode", { body: this.modeBody(mode) })),
    );
  }

  /** Metres above home. */
  goTo({ lat, lng }: LatLng, altitude: number) {
    const body = { ...this.body(), lat, lng, altitude };
    return this.give(text.goToAt(height(altitude)), () =>
      reply(this.client.api.POST("/drone/action/goto_gps_location", { body })),
    );
  }

  pushMission(mission_id: number, name: string) {
    const body = { ...this.body(), mission_id };
    return this.give(text.pushOf(name), () =>
      reply(this.client.api.POST("/drone/action/push_mission", { body })),
    );
  }

  /** Takes off, and flies the mission from its first item when the height is reached. */
  async startMission() {
    const started = await this.give(text.start, () =>
      reply(this.client.api.POST("/drone/action/start_mission", { body: this.body() })),
    );
    if (started) this.missionStart.begin(started.result.altitude);
  }

  continueMission() {
    return this.setMode("AUTO", text.continue);
  }

  setParams(params: Readonly<Record<string, number>>) {
    const body = { ...this.body(), params: { ...params } };
    // No order that moves the vehicle: the start of a mission goes on.
    return this.log.give(text.setParams(Object.keys(params)), () =>
      reply(this.client.api.POST("/drone/action/set_params", { body })),
    );
  }

  /** Every other order is the pilot's newest will: a mission that was to begin at its height does not. */
  private give<Result extends { message: string }>(label: string, send: () => Promise<Result>) {
    this.missionStart.cancel();
    return this.log.give(label, send);
  }

  private body() {
    return { drone_id: this.drone.id };
  }

  private modeBody(custom_mode: string) {
    return { ...this.body(), mode_info: { custom_mode } };
  }
}
