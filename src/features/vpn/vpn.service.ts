import type { Capability } from "../../domain/access";
import { configKey } from "../../domain/client-config";
import { DomainError } from "../../domain/errors";
import type { Ipv4 } from "../../domain/ipv4";
import type { PlaneName } from "../../domain/tunnel-planes";
import { isMissingObject } from "../../platform/objects/object-store";
import type { Services } from "../../platform/services";
import type { TunnelStatus } from "./tunnel-status";
import { addressOfUser } from "./vpn.store";

/** The part of a drone that the VPN reads. */
interface VpnDrone {
  readonly id: number;
  readonly type: "physical" | "sitl";
  readonly ip: Ipv4 | null;
}

export interface VpnServiceDeps extends Pick<Services, "db" | "vpnStore" | "log"> {
  readonly tunnel: TunnelStatus;
  /** Rejects with `not_found` unless the user may do this with the drone. */
  readonly droneFor: (userId: number, capability: Capability, droneId: number) => Promise<VpnDrone>;
  readonly dronesOf: (userId: number) => Promise<readonly VpnDrone[]>;
}

/** Life of a link to a client config, in seconds. */
export const CONFIG_URL_SECONDS = 30;

/** Client configs and tunnel states of users and their drones. */
export class VpnService {
  constructor(private readonly deps: VpnServiceDeps) {}

  /** A link to the user's client config. */
  async userLink(userId: number): Promise<string> {
    await this.addressOf(userId);
    return this.link("users", userId, "fleet.conf");
  }

  /** The text of the user's client config. */
  async userConfig(userId: number): Promise<string> {
    await this.addressOf(userId);
    return this.read("users", userId);
  }

  async userStatus(userId: number): Promise<boolean> {
    return this.isUp("users", await this.addressOf(userId));
  }

  /** A link to the drone's client config. */
  async droneLink(userId: number, droneId: number): Promise<string> {
    await this.checkTunnelOf(userId, droneId);
    return this.link("drones", droneId, `drone-${droneId}.conf`);
  }

  /** The text of the drone's client config. */
  async droneConfig(userId: number, droneId: number): Promise<string> {
    await this.checkTunnelOf(userId, droneId);
    return this.read("drones", droneId);
  }

  /** A simulated drone needs no tunnel: it counts as up. */
  async droneStatus(userId: number, droneId: number): Promise<boolean> {
    const { ip, type } = await this.deps.droneFor(userId, "view", droneId);
    if (!ip) throw new DomainError("no_vpn_address", "This drone has no VPN address.");
    return type === "sitl" || this.isUp("drones", ip);
  }

  /** Of all the user's drones, by id. */
  async dronesStatus(userId: number): Promise<Record<string, { is_active: boolean }>> {
    const drones = await this.deps.dronesOf(userId);
    const ips = drones.flatMap(({ type, ip }) => (type === "physical" && ip ? [ip] : []));
    const none: ReadonlyMap<number, boolean> = new Map();
    const up = ips.length > 0 ? await this.orDown(this.deps.tunnel.drones(ips), none) : none;
    return Object.fromEntries(
      drones.map(({ id, type }) => [id, { is_active: type === "sitl" || up.get(id) === true }]),
    );
  }

  private async checkTunnelOf(userId: number, droneId: number): Promise<void> {
    const { type } = await this.deps.droneFor(userId, "vpn", droneId);
    if (type === "sitl") {
      throw new DomainError("not_found", "A simulated drone has no tunnel, so there is no config for it.");
    }
  }

  private async addressOf(userId: number): Promise<Ipv4> {
    const ip = await addressOfUser(this.deps.db, userId);
    if (ip === undefined) throw new DomainError("not_found", "This user does not exist any more.");
    if (ip === null) throw new DomainError("no_vpn_address", "You have no VPN address.");
    return ip;
  }

  /** Signed for the users' endpoint of the store; makes no request. */
  private link(plane: PlaneName, rowId: number, saveAs: string): Promise<string> {
    return this.deps.vpnStore.presignGet(configKey({ plane, rowId }), "user", CONFIG_URL_SECONDS, saveAs);
  }

  private async read(plane: PlaneName, rowId: number): Promise<string> {
    const key = configKey({ plane, rowId });
    const config = await this.deps.vpnStore.readSmall(key).catch((cause: unknown) => {
      throw isMissingObject(cause)
        ? new DomainError("not_found", "The tunnel service has not published this config yet: try again.")
        : new DomainError("unavailable", "The object store does not answer.", { cause });
    });
    return config.toString();
  }

  private async isUp(plane: PlaneName, ip: Ipv4): Promise<boolean> {
    const peer = await this.orDown(this.deps.tunnel.peer(plane, ip), undefined);
    return peer?.up ?? false;
  }

  /** Reports tunnels as down while the tunnel service does not answer. */
  private orDown<T>(reply: Promise<T>, down: T): Promise<T> {
    return reply.catch((err: unknown) => {
      this.deps.log.warn({ err }, "The tunnel service does not answer; tunnels are reported as down");
      return down;
    });
  }
}
