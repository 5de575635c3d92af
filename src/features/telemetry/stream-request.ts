import { z } from "zod";
import { BodyId } from "../../http/route";
import { STREAMS } from "./streams";

/** What a watcher asks for. */
export const StreamRequest = z.object({ drone_id: BodyId, stream_type: z.enum(STREAMS) });
export type StreamRequest = z.output<typeof StreamRequest>;
