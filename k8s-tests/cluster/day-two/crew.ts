import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { components } from "../../../src/client/api-types";
import { FleetClient, reply } from "../../../src/client/client";
import { DroneChannels } from "../../../src/onboard/drone-channels";
import { createLogger } from "../../../src/platform/process/log";
import { TestSticks } from "../../../src/testing/sticks";
import { VpnClient } from "../../../src/testing/system/namespaces";
import { forwardToNode } from "../../../src/testing/system/namespaces/links";
import { until } from "../../../src/testing/until";
import { TestWatcher } from "../../../src/testing/watcher";
import { downloadConfig } from "../client-config";
import { client, MINUTES, pilot } from "../flight";
import { admin, origin } from "../release";
import { asking, connecting, Interruptions } from "./interruptions";

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
  private loggingIn: Promise<unknown> | undefined;

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
    return new Interruptions({
      API: asking((signal) => this.calls("GET", "/user", signal), 100),
      orders: asking((signal) => this.ordersGuided(signal), 250),
      telemetry: connecting((answered, signal) => this.watch(answered, signal), 250),
      sticks: (answered, signal) => this.steers(answered, signal),
      "drone's calls": asking((signal) => this.asksAsDrone(signal), 200),
      tunnel: (answered, signal) => this.echoes(answered, signal),
    });
  }

  private async calls(method: string, path: string, signal: AbortSignal, body?: object): Promise<boolean> {
    const response = await fetch(`${origin}/api/v1${path}`, {
      ...{ method, signal, body: body && JSON.stringify(body) },
      headers: {
        Authorization: `Bearer ${client.accessToken}`,
        ...(body && { "Content-Type": "application/json" }),
      },
    });
    await response.arrayBuffer();
    if (response.status === 401) await this.logIn();
    return response.ok;
  }

  private async asksAsDrone(signal: AbortSignal): Promise<boolean> {
    const response = await fetch(`${this.edge}/executions/current`, { signal });
    await response.arrayBuffer();
    return response.ok;
  }

  /** Once for all calls that were refused meanwhile. */
  private logIn(): Promise<unknown> {
    this.loggingIn ??= client.logIn(pilot.username, pilot.password).finally(() => {
      this.loggingIn = undefined;
    });
    return this.loggingIn;
  }

  private ordersGuided(signal: AbortSignal): Promise<boolean> {
    const body = { drone_id: this.simulated.id, mode_info: { custom_mode: "GUIDED" } };
    return this.calls("POST", "/drone/action/set_mode", signal, body);
  }

  private async watch(answered: () => void, signal: AbortSignal): Promise<void> {
    const watcher = new TestWatcher(origin, client.accessToken, { withCredentials: true, timeout: 2_000 });
    const { socket } = watcher;
    socket.on("telemetry_data", () => {
      watcher.clear();
      answered();
    });
    socket.on("error", () => socket.disconnect());
    socket.on("connect", () => {
      const subscription = { drone_id: this.simulated.id, stream_type: "dashboard" };
      socket.emit("subscribe_telemetry", subscription);
    });
    await new Promise<unknown>((resolve) => {
      socket.once("disconnect", resolve).once("connect_error", resolve);
      signal.addEventListener("abort", resolve, { once: true });
    });
    socket.disconnect();
  }

  /** Frames go through the relay, and are heard where the agent on board hears them: behind the edge. */
  private async steers(answered: () => void, signal: AbortSignal): Promise<void> {
    const channels = new DroneChannels({
      url: this.edgeRedis,
      droneIp: this.droneVpn.ip,
      newestOnly: "gamepad_input",
      all: [],
      log: createLogger("drone", "silent"),
      onMessage: answered,
    });
    await connecting((_, ended) => this.steer(ended), 100)(answered, signal);
    channels.stop();
  }

  private async steer(signal: AbortSignal): Promise<void> {
    const path = `/redispad/${this.far.id}?access_token=${client.accessToken}`;
    const socket = new WebSocket(`${origin.replace("http", "ws")}${path}`, { handshakeTimeout: 2_000 });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    signal.addEventListener("abort", () => socket.terminate(), { once: true });
    socket.on("error", () => undefined);
    const sticks = new TestSticks((frame) => socket.readyState === WebSocket.OPEN && socket.send(frame));
    socket.once("open", () => sticks.hold({ pitch: 0.1 }));
    await closed;
    sticks.letGo();
  }

  private async echoes(answered: () => void, signal: AbortSignal): Promise<void> {
    const ended = new Promise<undefined>((resolve) =>
      signal.addEventListener("abort", () => resolve(undefined), { once: true }),
    );
    let last = 0;
    while (!signal.aborted) {
      const { lastEchoAt = last } = (await Promise.race([this.pilotVpn.node.report("tunnel"), ended])) ?? {};
      if (lastEchoAt !== last) answered();
      last = lastEchoAt;
      await delay(50);
    }
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
