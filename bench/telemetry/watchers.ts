import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { ageMs } from "./now";

const PONG_EVERY_MS = 15_000;
const position = /"type":"gps","drone_id":\d+,"data":\{[^}]*?"altitude":(-?[\d.]+)/g;

/** Tenths of a millisecond between two positions of a vehicle. */
const INTERVAL = 1_000;

/** How a server's watchers connect: the request's path and what is said until frames come. */
export interface Greeting {
  readonly path: string;
  /** Each text that is waited for, and what is sent then. */
  readonly steps: readonly (readonly [awaited: string, reply?: string])[];
}

/** Of a Socket.IO server; `token` is the query's. */
export const socketIo = (drone: number, token: string): Greeting => ({
  path: `/socket.io/?EIO=4&transport=websocket&token=${token}`,
  steps: [
    ['"sid"', "40"],
    [
      '40{"sid"',
      `42${JSON.stringify(["subscribe_telemetry", { drone_id: drone, stream_type: "dashboard" }])}`,
    ],
    ["subscription_confirmed"],
  ],
});

/** Of a bare WebSocket server, which sends frames at once. */
export const bareWebSocket = (drone: number): Greeting => ({
  path: `/${drone}`,
  steps: [["101 Switching Protocols"]],
});

/** What a client is on the wire, and no more: the machine's other core has to carry all of them. */
export class Watchers {
  private readonly sockets: Socket[] = [];
  private measuring = false;
  private ages: number[] = [];
  private bytes = 0;
  private lost = 0;

  constructor() {
    setInterval(() => {
      for (const socket of this.sockets) socket.write(textFrame("3"));
    }, PONG_EVERY_MS);
  }

  /** `sampled` ones read their frames' ages, the others only take them. */
  join(port: number, { path, steps }: Greeting, sampled: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", reject);
      socket.write(
        [
          `GET ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${port}`,
          "Upgrade: websocket",
          "Connection: Upgrade",
          `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
          "Sec-WebSocket-Version: 13",
          "\r\n",
        ].join("\r\n"),
      );
      let received = "";
      let stage = 0;
      const greet = (chunk: Buffer) => {
        received += chunk.toString("latin1");
        const [awaited, reply] = steps[stage] as Greeting["steps"][number];
        if (!received.includes(awaited)) return;
        received = "";
        stage += 1;
        if (reply !== undefined) socket.write(textFrame(reply));
        if (stage < steps.length) return;
        socket.off("data", greet);
        socket.on("data", sampled ? this.sample() : (data: Buffer) => this.take(data));
        this.sockets.push(socket);
        resolve();
      };
      socket.on("data", greet);
    });
  }

  /** Disconnects all. */
  leave(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }

  start(): void {
    this.measuring = true;
    this.ages = [];
    this.bytes = 0;
    this.lost = 0;
  }

  /** Ages of positions in milliseconds, and how many did not come between two that did. */
  stop(): { ages: number[]; lost: number; bytes: number } {
    this.measuring = false;
    return { ages: this.ages, lost: this.lost, bytes: this.bytes };
  }

  private take(data: Buffer): void {
    if (this.measuring) this.bytes += data.length;
  }

  private sample(): (data: Buffer) => void {
    let rest = "";
    let last: number | undefined;
    return (data) => {
      this.take(data);
      const text = rest + data.toString("latin1");
      let end = 0;
      for (const match of text.matchAll(position)) {
        // A number that ends with the chunk may go on in the next.
        if (match.index + match[0].length === text.length) break;
        end = match.index + match[0].length;
        const made = Math.round(Number(match[1]) * 1000);
        if (this.measuring) {
          this.ages.push(ageMs(Number(match[1])));
          if (last !== undefined) this.lost += Math.max(0, Math.round((made - last) / INTERVAL) - 1);
        }
        last = made;
      }
      rest = text.slice(Math.max(end, text.length - 400));
    };
  }
}

/** A client's text frame, masked with zeros; shorter than 126 bytes. */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
