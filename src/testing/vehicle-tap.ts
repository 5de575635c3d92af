import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { decode } from "../vehicle/mavlink/codec";
import { FrameReader } from "../vehicle/mavlink/framing";
import { common } from "../vehicle/mavlink/messages";
import { atEndOfFile } from "./clean-up";

export interface VehicleTap {
  /** Where the vehicle is reached through the tap. */
  readonly port: number;
  /** Connections now open. */
  readonly open: number;
  /** The most that were open at one time since the tap was made, or since it was forgotten. */
  readonly mostOpen: number;
  /** MAV_CMD numbers of the orders that came, in order; repetitions of an unanswered one are left out. */
  readonly orders: readonly number[];
  /** Those of them that came as COMMAND_LONG, whole. */
  readonly longs: readonly common.CommandLong[];
  forget(): void;
}

/**
 * A cable to a vehicle's port that carries everything, and keeps what was ordered and over how many connections.
 * It listens on an address of loopback.
 */
export async function tapVehicle(
  vehicle: { host: string; port: number },
  host = "127.0.0.1",
): Promise<VehicleTap> {
  const open = new Set<Socket>();
  const orders: number[] = [];
  const longs: common.CommandLong[] = [];
  let mostOpen = 0;
  const server = createServer((near) => {
    open.add(near);
    mostOpen = Math.max(mostOpen, open.size);
    const far = connect({ host: vehicle.host, port: vehicle.port, noDelay: true });
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message instanceof common.CommandLong && message.confirmation === 0) {
        orders.push(message.command);
        longs.push(message);
      }
      if (message instanceof common.CommandInt) orders.push(message.command);
    });
    near.on("data", (chunk) => {
      reader.push(chunk);
      far.write(chunk);
    });
    far.pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.on("close", () => {
      open.delete(near);
      far.destroy();
    });
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  atEndOfFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return open.size;
    },
    get mostOpen() {
      return mostOpen;
    },
    orders,
    longs,
    forget: () => {
      mostOpen = open.size;
      orders.length = 0;
      longs.length = 0;
    },
  };
}
