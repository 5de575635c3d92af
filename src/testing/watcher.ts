import { io, type ManagerOptions, type Socket } from "socket.io-client";
import { atEndOfFile } from "./clean-up";
import { eventually } from "./until";

type Payload = ReturnType<typeof JSON.parse>;

/** A client of the telemetry as a person would write one; it keeps all it hears. */
export class TestWatcher {
  readonly received: { readonly event: string; readonly data: Payload }[] = [];
  readonly socket: Socket;

  constructor(url: string, token: string | undefined, options: Partial<ManagerOptions> = {}) {
    this.socket = io(url, {
      query: token === undefined ? {} : { token },
      transports: ["websocket"],
      reconnection: false,
      forceNew: true,
      ...options,
    });
    this.socket.onAny((event: string, data: Payload) => this.received.push({ event, data }));
    atEndOfFile(async () => this.socket.disconnect());
  }

  all(event: string): Payload[] {
    return this.received.filter((one) => one.event === event).map(({ data }) => data);
  }

  frames(type?: string): Payload[] {
    return this.all("telemetry_data").filter((frame) => !type || frame.type === type);
  }

  /** Until as many of an event have come; returns the last of them. */
  async next(event: string, count = 1): Promise<Payload> {
    await eventually(`"${event}" number ${count}`, () => this.all(event).length >= count);
    return this.all(event)[count - 1];
  }

  async subscribe(drone_id: unknown, stream_type: unknown): Promise<void> {
    const answers = () => this.all("subscription_confirmed").length + this.all("error").length;
    const before = answers();
    this.socket.emit("subscribe_telemetry", { drone_id, stream_type });
    await eventually("the answer to a subscription", () => answers() > before);
  }

  async unsubscribe(drone_id: unknown, stream_type: unknown): Promise<void> {
    const before = this.all("subscription_confirmed").length;
    this.socket.emit("unsubscribe_telemetry", { drone_id, stream_type });
    await this.next("subscription_confirmed", before + 1);
  }

  clear(): void {
    this.received.length = 0;
  }
}
