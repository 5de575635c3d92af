import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { ageMs } from "./now";

const PONG_EVERY_MS = 15_000;
const position = /"type":"gps","drone_id":\d+,"data":\{[^}]*?"altitude":(-?[\d.]+)/g;

/** What a Socket.IO client is on the wire, and no more: the machine's other core has to carry all of them. */
export class Watchers {
  private readonly sockets: Socket[] = [];
  private measuring = false;
  private ages: number[] = [];
  private bytes = 0;

  constructor() {
    setInterval(() => {
      for (const socket of this.sockets) socket.write(textFrame("3"));
    }, PONG_EVERY_MS);
  }

  /** Joins a drone's dashboard; `sampled` ones read their frames' ages, the others only take them. */
  join(port: number, drone: number, sampled: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", reject);
      socket.write(
        [
          "GET /socket.io/?EIO=4&transport=websocket&token=bench HTTP/1.1",
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
        if (stage === 0 && received.includes('"sid"')) {
          stage = 1;
          received = "";
          socket.write(textFrame("40"));
        } else if (stage === 1 && received.includes('40{"sid"')) {
          stage = 2;
          const request = { drone_id: drone, stream_type: "dashboard" };
          socket.write(textFrame(`42${JSON.stringify(["subscribe_telemetry", request])}`));
        } else if (stage === 2 && received.includes("subscription_confirmed")) {
          socket.off("data", greet);
          socket.on("data", sampled ? this.sample() : (data: Buffer) => this.take(data));
          this.sockets.push(socket);
          resolve();
        }
      };
      socket.on("data", greet);
    });
  }

  start(): void {
    this.measuring = true;
    this.ages = [];
    this.bytes = 0;
  }

  stop(): { ages: number[]; bytes: number } {
    this.measuring = false;
    return { ages: this.ages, bytes: this.bytes };
  }

  private take(data: Buffer): void {
    if (this.measuring) this.bytes += data.length;
  }

  private sample(): (data: Buffer) => void {
    let rest = "";
    return (data) => {
      this.take(data);
      const text = rest + data.toString("latin1");
      let end = 0;
      for (const match of text.matchAll(position)) {
        // A number that ends with the chunk may go on in the next.
        if (match.index + match[0].length === text.length) break;
        end = match.index + match[0].length;
        if (this.measuring) this.ages.push(ageMs(Number(match[1])));
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
