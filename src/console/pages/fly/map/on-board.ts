import { computed, effect, signal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import { type FleetClient, reply } from "../../../../client/client";
import type { FenceShape } from "../../../map/layers/fence-layer";
import type { PlanPoint } from "../../../map/layers/plan-layer";
import { errorText } from "../../../parts/error-text";
import type { VehicleState } from "../vehicle-state";

type Schemas = components["schemas"];

/** The mission and the fence on board, and the mission that is assigned. */
export class OnBoard {
  readonly mission = signal<Schemas["ComparedMission"] | undefined>(undefined);
  readonly fence = signal<Schemas["FenceOnBoard"] | undefined>(undefined);
  readonly failure = signal("");
  private readonly missions = signal<readonly Schemas["Mission"][]>([]);
  /** The read that is under way, and whether another is to follow it. */
  private reading: Promise<void> | undefined;
  private isOutdated = false;

  constructor(
    private readonly client: FleetClient,
    private readonly drone: Schemas["Drone"],
    private readonly state: VehicleState,
  ) {}

  /** Reads when the vehicle answers, and again when its plans were written. Returns what ends that. */
  follow(): () => void {
    void this.readMissions();
    const written = computed(() => {
      const mission = this.state.newest.mission.value?.value;
      return mission && `${mission.items} ${mission.writes}`;
    });
    return effect(() => {
      written.value;
      if (this.state.isLive.value) void this.read();
    });
  }

  /** What is on board now, or later: a read that is under way may have begun before a change. */
  read(): Promise<void> {
    this.isOutdated = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readAll(): Promise<void> {
    while (this.isOutdated) {
      this.isOutdated = false;
      await this.readOnce();
    }
  }

  private async readOnce(): Promise<void> {
    const { api } = this.client;
    const params = { path: { drone_id: this.drone.id } };
    try {
      this.mission.value = await reply(api.GET("/drone/{drone_id}/onboard/mission", { params }));
      this.fence.value = await reply(api.GET("/drone/{drone_id}/onboard/fence", { params }));
      this.failure.value = "";
      if (this.nameOf(this.mission.value.mission_id) === undefined) await this.readMissions();
    } catch (error) {
      this.failure.value = errorText(error);
    }
  }

  /** The stored mission that is on board; undefined when it is another. */
  readonly name = computed(() => this.nameOf(this.mission.value?.mission_id));
  readonly assigned = computed(() => this.missions.value.find(({ id }) => id === this.drone.mission_id));

  /** Of the mission on board, or of the assigned one while none is. */
  readonly points = computed<readonly PlanPoint[]>(() => {
    const onBoard = this.mission.value?.items ?? [];
    const current = this.current.value;
    if (onBoard.length > 0)
      return onBoard.filter(hasPosition).map(({ lat, lng, sequence }) => ({
        ...{ lat, lng },
        label: String(sequence),
        isCurrent: sequence === current,
      }));
    return (this.assigned.value?.mission_points ?? [])
      .filter(hasPosition)
      .map(({ lat, lng, sequence }) => ({ lat, lng, label: String(sequence) }));
  });

  readonly shapes = computed<readonly FenceShape[]>(() =>
    (this.fence.value?.areas ?? []).flatMap<FenceShape>(({ fence_type, points, radius }) => {
      const isInclusion = fence_type === "inclusion";
      const [middle] = points;
      if (radius !== null) return middle ? [{ isInclusion, middle, radius }] : [];
      return [{ isInclusion, corners: points }];
    }),
  );

  private readonly current = computed(() => this.state.mission.value?.value.item);

  private async readMissions(): Promise<void> {
    this.missions.value = await reply(this.client.api.GET("/missions")).catch(() => this.missions.peek());
  }

  private nameOf(id: number | null | undefined): string | undefined {
    return this.missions.value.find((mission) => mission.id === id)?.name;
  }
}

/** Commands without one have zeros. */
const hasPosition = ({ lat, lng }: { lat: number; lng: number }): boolean => lat !== 0 || lng !== 0;
