import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { io, type Socket } from "socket.io-client";
import type { components as api } from "../../client/api-types";
import type { components as messages } from "../../client/message-types";
import type { Session } from "../session/session";

type Messages = messages["schemas"];
export type DroneState = api["schemas"]["DroneState"];
export type Stream = Messages["telemetry_subscribe_telemetry"]["stream_type"];

/** One message of a drone; `type` says which fields `data` has. */
export type Frame = {
  [Name in keyof Messages]: Name extends `telemetry_telemetry_data_${string}` ? Messages[Name] : never;
}[keyof Messages];
export type FrameType = Frame["type"];
export type FrameData<Type extends FrameType> = Extract<Frame, { type: Type }>["data"];

/** The newest state of a drone, and when it came: milliseconds of `performance.now()`. */
export interface Snapshot {
  readonly state: DroneState;
  readonly at: number;
}

/** Milliseconds since the vehicle was heard. Undefined when it was not yet. */
export const linkAge = ({ state, at }: Snapshot, now: number): number | undefined =>
  state.link ? state.link.age_ms + now - at : undefined;

/**
 * off: nobody is signed in. connecting → connected → lost → connected. The library tries again by itself, with growing
 * pauses of at most 5 s.
 */
export type Connection = "off" | "connecting" | "connected" | "lost";

interface ServerEvents {
  connected(): void;
  telemetry_data(frame: Frame): void;
  fleet_data(data: Messages["telemetry_fleet_data"]): void;
  error(error: Messages["telemetry_error"]): void;
}
interface ClientEvents {
  subscribe_telemetry(request: Messages["telemetry_subscribe_telemetry"]): void;
  unsubscribe_telemetry(request: Messages["telemetry_unsubscribe_telemetry"]): void;
  subscribe_fleet(): void;
  unsubscribe_fleet(): void;
}

interface Watch {
  readonly request: Messages["telemetry_subscribe_telemetry"];
  readonly listeners: Set<(frame: Frame) => void>;
}

/** Between two connections that the gateway ended, or was not there for. */
const AGAIN_MS = 2_000;

/** Live telemetry: one socket of the signed-in user for the whole page. What is watched goes on after a lost connection. */
export class Live {
  private readonly state = signal<Connection>("off");
  private readonly lost = signal(0);
  private readonly refusal = signal("");
  private readonly snapshots = signal<ReadonlyMap<number, Snapshot> | undefined>(undefined);
  private readonly watches = new Map<string, Watch>();
  private fleetWatchers = 0;
  private begunAt = Number.NEGATIVE_INFINITY;
  private socket: Socket<ServerEvents, ClientEvents> | undefined;

  constructor(private readonly session: Session) {
    effect(() => {
      const isSignedIn = session.state.value === "signed-in";
      if (isSignedIn && !this.socket) this.open();
      else if (!isSignedIn) this.close();
    });
    // The browser knows sooner than the socket that the network is gone, or back.
    addEventListener("offline", () => this.socket?.io.engine?.close());
    addEventListener("online", () => this.socket?.connect());
  }

  get connection(): ReadonlySignal<Connection> {
    return this.state;
  }

  /** Milliseconds of `performance.now()`, of the state `lost`. */
  get lostAt(): ReadonlySignal<number> {
    return this.lost;
  }

  /** What the gateway refused last, such as a drone that cannot be watched. Empty when it refused nothing since. */
  get error(): ReadonlySignal<string> {
    return this.refusal;
  }

  /** By the drones' ids. Undefined until they came, or while nobody watches the fleet. */
  get fleet(): ReadonlySignal<ReadonlyMap<number, Snapshot> | undefined> {
    return this.snapshots;
  }

  /** Keeps `fleet` up to date until the returned function is called. */
  watchFleet(): () => void {
    this.fleetWatchers += 1;
    if (this.fleetWatchers === 1) this.send("subscribe_fleet");
    return once(() => {
      this.fleetWatchers -= 1;
      if (this.fleetWatchers > 0) return;
      this.send("unsubscribe_fleet");
      this.snapshots.value = undefined;
    });
  }

  /** Calls `listener` for each frame of the drone's stream until the returned function is called. */
  watch(drone_id: number, stream_type: Stream, listener: (frame: Frame) => void): () => void {
    const key = `${drone_id} ${stream_type}`;
    const watch = this.watches.get(key) ?? { request: { drone_id, stream_type }, listeners: new Set() };
    const isFirst = watch.listeners.size === 0;
    watch.listeners.add(listener);
    this.watches.set(key, watch);
    if (isFirst) {
      this.refusal.value = "";
      this.send("subscribe_telemetry", watch.request);
    }
    return once(() => {
      watch.listeners.delete(listener);
      if (watch.listeners.size > 0) return;
      this.watches.delete(key);
      this.send("unsubscribe_telemetry", watch.request);
    });
  }

  private send<Name extends keyof ClientEvents>(name: Name, ...args: Parameters<ClientEvents[Name]>): void {
    // All of it is sent again when a connection begins.
    if (this.state.peek() === "connected") this.socket?.emit(name, ...args);
  }

  private open(): void {
    const { client } = this.session;
    this.state.value = "connecting";
    this.lost.value = performance.now();
    const socket: Socket<ServerEvents, ClientEvents> = io(client.origin, {
      transports: ["websocket"],
      query: { token: client.accessToken },
      reconnectionDelay: 500,
      reconnectionDelayMax: 5_000,
      timeout: 5_000,
    });
    this.socket = socket;
    socket.io.on("reconnect_attempt", () => {
      socket.io.opts.query = { token: client.accessToken };
    });
    socket.on("connected", () => this.begin());
    socket.on("disconnect", (reason) => {
      if (this.state.peek() === "connected") this.lost.value = performance.now();
      if (this.socket !== socket) return;
      this.state.value = "lost";
      // A token that has expired. The library does not try again by itself.
      if (reason === "io server disconnect") void this.connectAnew(socket);
    });
    // One that never came is as good as lost.
    socket.on("connect_error", () => {
      if (this.socket === socket && this.state.peek() === "connecting") this.state.value = "lost";
    });
    socket.on("telemetry_data", (frame) => {
      for (const { request, listeners } of this.watches.values())
        if (request.drone_id === frame.drone_id) for (const listener of listeners) listener(frame);
    });
    socket.on("fleet_data", ({ complete, drones }) => this.update(complete, drones));
    socket.on("error", ({ message }) => {
      this.refusal.value = message;
    });
  }

  private begin(): void {
    this.state.value = "connected";
    this.begunAt = performance.now();
    this.refusal.value = "";
    if (this.fleetWatchers > 0) this.send("subscribe_fleet");
    for (const { request } of this.watches.values()) this.send("subscribe_telemetry", request);
  }

  /** With a new token. The session ends when the gateway refuses one; a gateway that does not answer is asked again. */
  private async connectAnew(socket: Socket): Promise<void> {
    // One that ended at once would be ended again.
    const hasJustBegun = performance.now() - this.begunAt < AGAIN_MS;
    const isRefreshed = await this.session.client.refreshTokens().then(
      () => true,
      () => false,
    );
    if (hasJustBegun || !isRefreshed) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    if (this.socket !== socket) return;
    socket.io.opts.query = { token: this.session.client.accessToken };
    socket.connect();
  }

  private update(complete: boolean, drones: readonly DroneState[]): void {
    const at = performance.now();
    const snapshots = new Map(complete ? [] : this.snapshots.peek());
    for (const state of drones) snapshots.set(state.drone_id, { state, at });
    this.snapshots.value = snapshots;
  }

  private close(): void {
    this.socket?.disconnect();
    this.socket = undefined;
    this.state.value = "off";
    this.snapshots.value = undefined;
  }
}

function once(end: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) end();
    isDone = true;
  };
}
