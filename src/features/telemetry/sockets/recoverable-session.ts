import { z } from "zod";
import { StreamRequest } from "../streams";

/** The next socket of the client needs this to enter the rooms of the former one. */
export const RecoverableSession = z.object({
  user_id: z.int(),
  socket_id: z.string(),
  streams: z.array(StreamRequest),
  /** Whether it watched the user's fleet. */
  fleet: z.boolean().default(false),
});
export type RecoverableSession = z.output<typeof RecoverableSession>;
