import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { type Action, action } from "./action";

/** Orders to the drone's onboard computer, which listens on Redis channels named by the drone's address. */
export const videoActions: readonly Action[] = [
  action({
    path: "video-source",
    summary: "Choose the video source",
    body: z.object({ source: z.enum(["CAMERA", "TEST"]) }),
    result: z.object({ source: z.string(), listeners: z.int() }),
    invalidInput: 400,
    async run(order, { source }) {
      if (!order.drone.ip) throw new DomainError("vehicle_unreachable", "The drone has no address yet.");
      const listeners = await order.publish(`${order.drone.ip}:video_source`, { source });
      if (listeners === 0) {
        throw new DomainError("vehicle_unreachable", "No program on the drone listens for the video source.");
      }
      return { message: `The video source is ${source}.`, result: { source, listeners } };
    },
  }),
];
