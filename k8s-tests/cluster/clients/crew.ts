import type { components } from "../../../src/client/api-types";
import { FleetClient, reply } from "../../../src/client/client";
import { DroneChannels } from "../../../src/onboard/drone-channels";
import { createLogger } from "../../../src/platform/process/log";
import { atEndOfFile } from "../../../src/testing";
import { VpnClient } from "../../../src/testing/system/namespaces";
import { forwardFromNode, forwardToNode } from "../../../src/testing/system/namespaces/links";
import { until } from "../../../src/testing/until";
import { tapVehicle, type VehicleTap } from "../../../src/testing/vehicle-tap";
import { startTestSimulator } from "../../../src/testing/worlds/simulator";
import { downloadConfig } from "../client-config";
import { client, MINUTES, pilot } from "../flight";
import { admin, origin } from "../release";
import { asking, Interruptions, watching } from "./interruptions";
import { orders, requests, sticks, telemetry } from "./pilot-clients";

type Drone = components["schemas"]["Drone"];

/** A port that a user reaches on every drone. */
const UDP_14900 = { protocol: "udp", port: 14_900 } as const;
/** The edge, as drones see it. */
const EDGE = "10.71.0.1";

/** The pilot, a drone in the field and a simulated one, from the test that brings them together on. */
class Crew {
  simulated!: Drone;
  far!: Drone;
  pilotVpn!: VpnClient;
  droneVpn!: VpnClient;
  /** The edge's API for the drone in the field, as this process reaches it. */
  edge!: string;
  private edgeRedis!: string;

  async assemble(): Promise<void> {
    await admin(["create-user", "--username", pilot.username, "--active"], `${pilot.password}\n`);
    await admin(["grant-subscription", "--username", pilot.username, "--vehicles", "9"]);
    await client.logIn(pilot.username, pilot.password);
    const copter = { name: "Kind", vehicle_type: "copter" } as const;
    this.simulated = await reply(client.api.POST("/drone", { body: { ...copter, type: "sitl" } }));
    this.far = await this.addDrone("Far");
    this.pilotVpn = await VpnClient.onThisMachine("pilot");
    await this.pilotVpn.join(await downloadConfig(client));
    this.droneVpn = await VpnClient.onThisMachine("drone");
    await this.droneVpn.join(await activate(String(this.far.activation_token)));
    await this.droneVpn.node.echo(UDP_14900);
    this.edge = `http://127.0.0.1:${await forwardToNode(this.droneVpn.node, 8088, EDGE)}/api/v1`;
    this.edgeRedis = `redis://127.0.0.1:${await forwardToNode(this.droneVpn.node, 8089, EDGE)}`;
    await until(() => this.reachesDrone(), MINUTES);
    await this.pilotVpn.node.stream("tunnel", { ...UDP_14900, host: this.droneVpn.ip }, 50);
  }

  /** A vehicle at the drone in the field. Its tap sees what a ground station says to it. */
  async putVehicleOnBoard(): Promise<VehicleTap> {
    const { vehicle, stop } = await startTestSimulator([{ kind: "copter" }]);
    atEndOfFile(stop);
    const tap = await tapVehicle(vehicle);
    await forwardFromNode(this.droneVpn.node, `tcp://127.0.0.1:${tap.port}`, this.far.port);
    return tap;
  }

  addDrone(name: string): Promise<Drone> {
    const body = { type: "physical", name, vehicle_type: "copter" } as const;
    return reply(client.api.POST("/drone", { body }));
  }

  reachesDrone(): Promise<boolean> {
    return this.pilotVpn.node.probe({ ...UDP_14900, host: this.droneVpn.ip });
  }

  /** When the drone's tunnel last made a handshake with the hub, in milliseconds since the epoch; 0 before the first. */
  async handshakeAt(): Promise<number> {
    const shown = await this.droneVpn.node.shell("wg show all latest-handshakes");
    return Number(shown.trim().split("\t").at(-1)) * 1_000;
  }

  /** The drone's config in the store, as its owner downloads it. */
  async droneConfig(): Promise<string> {
    const params = { path: { drone_id: this.far.id } };
    return (await reply(client.api.GET("/drone/{drone_id}/vpn/config", { params }))).config;
  }

  /** Clients of every part of a release; each does at once what its users do after an interruption, such as logging in. */
  interruptions(): Interruptions<"API" | "orders" | "telemetry" | "sticks" | "drone's calls" | "tunnel"> {
    const simulated = () => this.simulated;
    return new Interruptions({
      API: requests,
      orders: orders(simulated, "GUIDED"),
      telemetry: telemetry(simulated),
      sticks: this.sticks,
      "drone's calls": asking((signal) => this.asksAsDrone(signal), 200),
      tunnel: this.tunnel,
    });
  }

  /** Heard where the agent on board hears them: behind the edge. */
  readonly sticks = sticks(
    () => this.far,
    async (answered, signal) => {
      const channels = new DroneChannels({
        url: this.edgeRedis,
        droneIp: this.droneVpn.ip,
        newestOnly: "gamepad_input",
        all: [],
        log: createLogger("drone", "silent"),
        onMessage: answered,
      });
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      channels.stop();
    },
  );

  /** A byte of the pilot's that the drone echoes. */
  readonly tunnel = watching(async () => (await this.pilotVpn.node.report("tunnel")).lastEchoAt);

  private async asksAsDrone(signal: AbortSignal): Promise<boolean> {
    const response = await fetch(`${this.edge}/executions/current`, { signal });
    await response.arrayBuffer();
    return response.ok;
  }
}
export const crew = new Crew();

/** What a drone's computer does once; resolves with its client config. */
export async function activate(token: string): Promise<string> {
  const headers = { "X-Activation-Token": token };
  const { vpn } = await reply(new FleetClient(origin, { headers }).api.GET("/drone/activate"));
  return (await fetch(vpn)).text();
}

/** The part of a client config that says so: its private key, or the hub's public one. */
export function keyIn(config: string, name: "PrivateKey" | "PublicKey"): string {
  const [, key = ""] = new RegExp(`^${name} = (.*)$`, "m").exec(config) ?? [];
  return key;
}
