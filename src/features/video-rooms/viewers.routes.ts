import { z } from "zod";
import { ids, Message, type Route, route } from "../../http/route";
import { common } from "./video-rooms.routes";
import { Viewer, ViewerAnswer } from "./video-rooms.schema";
import type { Viewers } from "./viewers.service";

const ofDrone = ids("drone_id");
const ofViewer = ofDrone.extend({
  viewer: z.string().max(1_000).describe("As it was returned when it began."),
});
const path = "/video_room/:drone_id/viewers/:viewer";
const ofUser = { ...common, guard: "user" } as const;
const ENDED =
  "The drone does not exist, or the viewer has ended, as after a restart of the media server: begin another.";

/** Watching by WebRTC: the media server offers, the client answers. */
export function viewerRoutes(viewers: Viewers): readonly Route[] {
  return [
    route({
      ...ofUser,
      method: "post",
      path: "/video_room/:drone_id/viewers",
      summary: "Begin to watch the drone's camera",
      description:
        "The stream must have been started. The reply has the media server's offer; send your answer next. A viewer that is not kept alive ends after a minute.",
      params: ofDrone,
      success: { status: 201, schema: Viewer },
      documents: {
        ...common.documents,
        404: "The drone does not exist, or its stream was not started.",
        409: "The drone's camera does not send yet: try again in a second.",
      },
      handle: ({ caller, params }) => viewers.create(caller.id, params.drone_id),
    }),
    route({
      ...ofUser,
      method: "post",
      path: `${path}/answer`,
      summary: "Answer the offer of the media server",
      description: "Then the stream flows. The answer need not have candidates.",
      params: ofViewer,
      body: ViewerAnswer,
      bodyLimitBytes: 65_536,
      success: { status: 200, schema: Message },
      documents: { ...common.documents, 404: ENDED },
      handle: async ({ caller, params, body }) => {
        await viewers.answer(of(caller, params), body.sdp);
        return { message: "The stream flows." };
      },
    }),
    route({
      ...ofUser,
      method: "post",
      path: `${path}/keepalive`,
      summary: "Keep a viewer alive",
      description: "Every 20 seconds.",
      params: ofViewer,
      success: { status: 200, schema: Message },
      documents: { ...common.documents, 404: ENDED },
      handle: async ({ caller, params }) => {
        await viewers.keepAlive(of(caller, params));
        return { message: "The viewer goes on." };
      },
    }),
    route({
      ...ofUser,
      method: "delete",
      path,
      summary: "Stop watching",
      description: "The drone's stream goes on, for other viewers.",
      params: ofViewer,
      success: { status: 200, schema: Message },
      documents: common.documents,
      handle: async ({ caller, params }) => {
        await viewers.end(of(caller, params));
        return { message: "The viewer has ended." };
      },
    }),
  ];
}

const of = ({ id }: { id: number }, { drone_id, viewer }: z.output<typeof ofViewer>) => ({
  userId: id,
  droneId: drone_id,
  viewer,
});
