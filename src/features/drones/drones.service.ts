import { type KeyObject, randomUUID } from "node:crypto";
import { may } from "../../domain/access";
import { DomainError } from "../../domain/errors";
import { DRONE_RANGE, SIMULATED_RANGE } from "../../domain/planes";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { findSubscription, vehicleGate } from "../billing";
import { lockMission } from "../missions";
import { allocateAddress } from "../vpn";
import { droneFor } from "./drone-access";
import { activationToken, videoRoomToken } from "./drone-tokens";
import type { DroneWatch } from "./drone-watch";
import type { DroneChange, DroneType, NewDroneRequest } from "./drones.schema";
import {
  countDrones,
  type Drone,
  type DroneChanges,
  dronesOfJson,
  insertDrone,
  isOthersPort,
  leastUsedPort,
  lockDrone,
  lockSimulatorPorts,
  lockUser,
  retireDrone,
  updateDrone,
} from "./drones.store";
import { isOwnVehicle, ownSimulatorHost, refusesSimulator, simulatedPorts } from "./link-target";

interface DronesServiceDeps extends Pick<Services, "config" | "db" | "clock" | "quotas"> {
  readonly watch: Pick<DroneWatch, "changed">;
  /** Signs the video room tokens. */
  readonly signingKey: KeyObject;
}

/** The port on which a physical drone's computer offers its autopilot. */
const PHYSICAL_PORT = 5001;

type LinkAddress = Pick<Drone, "port" | "link_host">;
/** Without a port: any vehicle of the service's own simulator. */
type WantedAddress = Pick<Drone, "link_host"> & { readonly port: number | undefined };

/** Creates, changes, lists and deletes drones for their owners. */
export class DronesService {
  constructor(private readonly deps: DronesServiceDeps) {}

  /** As a JSON array of the API's replies. */
  listJson = (userId: number, missionId?: number): Promise<string> =>
    dronesOfJson(this.deps.db, userId, missionId);

  /** Rejects with `vehicle_limit` when the user may not add a drone of this type. */
  create(userId: number, input: NewDroneRequest): Promise<Drone> {
    const { type, vehicle_type } = input;
    const wanted = this.linkAddress(type, input);
    return this.deps.db.transaction(async (trx) => {
      await this.passGate(trx, userId, type);
      const drone = await insertDrone(trx, {
        ...input,
        user_id: userId,
        ...(await this.freshIdentity(trx, userId, type)),
        ...(await this.assignLinkAddress(trx, { user_id: userId, vehicle_type }, type, wanted)),
      });
      return updateDrone(trx, drone.id, { video_room_token: this.videoToken(drone.id) });
    });
  }

  /**
   * A change of the type makes the drone a new device: it passes the gate again and gets another address, other tokens
   * and another VPN key. `renewed`: it did, and its owner is shown the token.
   */
  async change(
    userId: number,
    droneId: number,
    change: DroneChange,
  ): Promise<{ drone: Drone; renewed: boolean }> {
    const { before, after } = await this.deps.db.transaction(async (trx) => {
      const { user_id: owner } = await droneFor(trx, userId, "command", droneId);
      await lockUser(trx, owner);
      const before = await this.lockFor(trx, userId, droneId);
      const changes = await this.changesOf(trx, before, change);
      if (typeof change.mission_id === "number" && !(await lockMission(trx, userId, change.mission_id))) {
        throw new DomainError("not_found", "No such mission.");
      }
      return { before, after: await updateDrone(trx, droneId, changes) };
    });
    this.deps.watch.changed(before, after);
    return { drone: after, renewed: before.type !== after.type };
  }

  async delete(userId: number, droneId: number): Promise<void> {
    const before = await this.deps.db.transaction(async (trx) => {
      const before = await this.lockFor(trx, userId, droneId);
      await retireDrone(trx, droneId, this.deps.clock.now());
      return before;
    });
    this.deps.watch.changed(before, undefined);
  }

  private async lockFor(trx: Db, userId: number, droneId: number): Promise<Drone> {
    const drone = await lockDrone(trx, droneId);
    if (!drone || !may(userId, "command", drone)) throw new DomainError("not_found", "No such drone.");
    return drone;
  }

  private async changesOf(trx: Db, before: Drone, change: DroneChange): Promise<DroneChanges> {
    const { type = before.type, port, link_host, ...plain } = change;
    if (type === before.type) {
      const wanted = { port: before.port, link_host: before.link_host, ...defined(change) };
      if (sameAddress(wanted, before)) return plain;
      return {
        ...plain,
        ...(await this.assignLinkAddress(trx, before, type, this.linkAddress(type, wanted))),
      };
    }
    await this.passGate(trx, before.user_id, type, before.id);
    // A client that sends the whole drone back repeats the host of the former device.
    const wanted = link_host === before.link_host ? { port } : { port, link_host };
    return {
      ...plain,
      type,
      ...(await this.freshIdentity(trx, before.user_id, type)),
      ...(await this.assignLinkAddress(trx, before, type, this.linkAddress(type, wanted))),
      vpn_key_id: randomUUID(),
      video_room_token: this.videoToken(before.id),
    };
  }

  /** Locks the user's row first, so that concurrent requests count each other's drones. */
  private async passGate(trx: Db, userId: number, type: DroneType, except?: number): Promise<void> {
    if (!(await lockUser(trx, userId))) {
      throw new DomainError("unauthenticated", "This user does not exist any more.");
    }
    const answer = vehicleGate(
      type,
      await countDrones(trx, userId, except),
      await findSubscription(trx, userId),
    );
    if (!answer.can_add) throw new DomainError("vehicle_limit", `${answer.message} (${answer.reason})`);
  }

  private linkAddress(
    type: DroneType,
    { port, link_host = null }: { port?: number | undefined; link_host?: string | null | undefined },
  ): WantedAddress {
    if (type === "physical") {
      if (link_host) {
        throw new DomainError("invalid_input", "link_host: a physical drone is dialled at its VPN address.");
      }
      return { port: port ?? PHYSICAL_PORT, link_host };
    }
    const named = port ?? this.deps.config.SIMULATOR_PORT;
    const refusal = refusesSimulator(this.deps.config, { port: named, link_host });
    if (refusal) throw new DomainError("invalid_input", refusal);
    const isOwn = this.isStrict && isOwnVehicle(this.deps.config, { port: named, link_host });
    return { port: link_host === null || isOwn ? port : named, link_host };
  }

  private get isStrict(): boolean {
    return this.deps.config.ACCESS_PROFILE === "strict";
  }

  /**
   * A simulated drone that names no port gets a vehicle that no other drone has: a vehicle's port serves one client at a
   * time. When every vehicle has a drone, the strict profile rejects with `conflict`, the contract profile shares one. In
   * the strict profile a user cannot name the vehicle of another user.
   */
  private async assignLinkAddress(
    trx: Db,
    { user_id, vehicle_type }: Pick<Drone, "user_id" | "vehicle_type">,
    type: DroneType,
    { port, link_host }: WantedAddress,
  ): Promise<LinkAddress> {
    const { config } = this.deps;
    const host = ownSimulatorHost(config);
    const isChecked =
      this.isStrict && type === "sitl" && (port === undefined || isOwnVehicle(config, { link_host, port }));
    if (isChecked) await lockSimulatorPorts(trx);
    if (port === undefined) {
      const ports = simulatedPorts(config, vehicle_type);
      const leastUsed = await leastUsedPort(trx, host, ports);
      if (isChecked && !leastUsed.isFree) throw allVehiclesInUse(vehicle_type, ports);
      return { port: leastUsed.port, link_host };
    }
    if (isChecked && (await isOthersPort(trx, host, port, user_id))) {
      const message = `Port ${port} is the vehicle of another user; leave port out to get one of your own.`;
      throw new DomainError("invalid_input", message);
    }
    return { port, link_host };
  }

  /** An address that no drone of another user had lately, and a token that no drone had before. */
  private async freshIdentity(
    trx: Db,
    userId: number,
    type: DroneType,
  ): Promise<Pick<Drone, "ip" | "activation_token">> {
    const [range, activation_token] =
      type === "physical" ? [DRONE_RANGE, activationToken()] : [SIMULATED_RANGE, null];
    const maxResting = this.deps.quotas.limit("resting_addresses");
    return { ip: await allocateAddress(trx, range, { userId, maxResting }), activation_token };
  }

  private videoToken(droneId: number): string {
    return videoRoomToken(this.deps.signingKey, droneId, this.deps.clock.now());
  }
}

function allVehiclesInUse(
  vehicleType: Drone["vehicle_type"],
  { first, last }: ReturnType<typeof simulatedPorts>,
): DomainError {
  const count = last - first + 1;
  const variable = vehicleType === "rover" ? "SIMULATOR_ROVERS" : "SIMULATOR_COPTERS";
  return new DomainError(
    "conflict",
    `Every simulated vehicle for a ${vehicleType} is in use (${count} of ${count}). Delete a simulated drone, or ask the operator to raise ${variable}.`,
  );
}

const sameAddress = (a: LinkAddress, b: LinkAddress): boolean =>
  a.port === b.port && a.link_host === b.link_host;

const defined = ({ port, link_host }: Partial<LinkAddress>): Partial<LinkAddress> => ({
  ...(port === undefined ? {} : { port }),
  ...(link_host === undefined ? {} : { link_host }),
});
