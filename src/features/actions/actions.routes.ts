import { z } from "zod";
import { BodyId, type Route, route } from "../../http/route";
import type { Action } from "./action";
import type { RecordedActions } from "./actions.service";
import { actionTable } from "./actions.table";

const Addressed = z.object({ drone_id: BodyId });

/** One route for each row of the table. */
export const actionRoutes = (service: RecordedActions): readonly Route[] =>
  actionTable.map((action) => actionRoute(action, service));

const actionRoute = (action: Action, service: RecordedActions): Route =>
  route({
    method: "post",
    path: `/drone/action/${action.path}`,
    tag: "Drone actions",
    summary: action.summary,
    description: action.description,
    guard: "user",
    envelope: "B",
    // Outside of the quota of orders, so limited in size.
    ...(action.emergency ? { emergency: true, bodyLimitBytes: 4_096 } : {}),
    body: Addressed.extend(action.body.shape),
    success: { status: 200, schema: z.object({ message: z.string(), result: action.result }) },
    // A conflict, such as a plan that the drone is flying, makes a failed order.
    errors: { conflict: 500 },
    invalidInput: action.invalidInput ?? 500,
    documents: {
      500: "The order failed or was refused, its input is not valid, or its outcome is not known: the message says which and why.",
      404: "The drone, mission or geofence does not exist or is not yours.",
      429: action.emergency
        ? "More than a hundred such orders are under way."
        : "The drone's quota of orders is used up, or you have too many requests under way.",
    },
    errorHeaders: {
      500: { "X-Outcome": "`unknown` when the drone may have obeyed or not. Absent when it did not obey." },
    },
    handle: ({ caller, body }) => {
      const { drone_id, ...parameters } = body as z.output<typeof Addressed> & Record<string, unknown>;
      return service.order(caller.id, drone_id, action, parameters);
    },
  });
