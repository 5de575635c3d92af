import type { Context } from "koa";
import type { z } from "zod";
import { etagOf, ifMatch } from "../../http/etag";
import { ids, Message, type Route, route, SerializedJson } from "../../http/route";
import { BATCH_BYTES } from "./plan-limits";
import type { PlanKind, PlanService } from "./plans.service";

/** What the contract says of one kind of plan. */
interface PlanRoutes {
  readonly tag: string;
  /** How paths and texts name the plan: "mission". */
  readonly word: string;
  /** Name of the parameter that is a point's id. */
  readonly pointId: string;
  readonly plan: z.ZodType;
  readonly newPlan: z.ZodType;
  /** Its fields, and its points under their own key. */
  readonly wholePlan: z.ZodType;
  readonly point: z.ZodType;
  readonly firstPoint: z.ZodType;
  readonly allPoints: z.ZodType;
  readonly pointChange: z.ZodType;
  readonly pointBatch: z.ZodType;
  /** Status of a reply to a change of points. */
  readonly changed: 200 | 201;
  /** What differs from the routes below, by operation. */
  readonly create?: Difference;
  readonly list?: Difference;
  readonly remove?: Difference;
}

type Difference = Partial<Pick<Route, "summary" | "description" | "success" | "errors" | "documents">>;

/** Shared by all routes of plans. The contract answers input that does not fit with 500. */
export const planRoute = { guard: "user", envelope: "B", invalidInput: 500 } as const;

/** Plans are passed on as Postgres made them. */
export const serialized = async (json: Promise<string | Buffer>) => new SerializedJson(await json);

const tagged = async (ctx: Context, json: Promise<string>): Promise<SerializedJson> => {
  const plan = await json;
  ctx.set("ETag", etagOf(plan));
  return new SerializedJson(plan);
};

/** The routes that missions and geofences have in common. */
export function planRoutes<Kind extends PlanKind>(plans: PlanService<Kind>, kind: PlanRoutes): Route[] {
  const { tag, word, plan, point, changed } = kind;
  const common = { ...planRoute, tag };
  const planId = `${word}_id`;
  const { pointId } = kind;
  const onePlan = { ...common, path: `/${word}/:${planId}`, params: ids(planId) };
  const onePoint = { ...common, path: `/${word}/point/:${pointId}`, params: ids(pointId) };
  const headers = { ETag: `Another one after every change of the ${word} or its points.` };
  const whole = { status: changed, schema: plan, description: `The whole ${word}.` } as const;
  return [
    route({
      ...common,
      method: "post",
      path: `/${word}`,
      summary: `Create a ${word} without points`,
      body: kind.newPlan,
      success: { status: 201, schema: plan, description: `The ${word}, without points.` },
      ...kind.create,
      handle: ({ body, caller }) => serialized(plans.create(caller.id, body as object)),
    }),
    route({
      ...common,
      method: "get",
      path: `/${word}s`,
      summary: `List the caller's ${word}s with their points`,
      success: { status: 200, schema: (plan as z.ZodObject).array() },
      ...kind.list,
      handle: ({ caller }) => serialized(plans.listJson(caller.id)),
    }),
    route({
      ...onePlan,
      method: "get",
      summary: `Read a ${word} with its points`,
      success: { status: 200, schema: plan, headers },
      handle: ({ params, caller, ctx }) => tagged(ctx, plans.getJson(caller.id, params[planId] as number)),
    }),
    route({
      ...onePlan,
      method: "put",
      summary: `Replace a ${word} with all its points, at once`,
      description: `Points without a \`sequence\` get their place in the array, from 1. All of it is stored or, with an unknown key or a value that does not fit, nothing, and the answer is 500. With \`If-Match\`, the \`ETag\` of the ${word} that you read, the answer is 412 when it was changed since.`,
      body: kind.wholePlan,
      bodyLimitBytes: BATCH_BYTES,
      conditional: true,
      success: { ...whole, headers },
      handle: ({ params, body, caller, ctx }) =>
        tagged(ctx, plans.replace(caller.id, params[planId] as number, body as object, ifMatch(ctx))),
    }),
    route({
      ...onePlan,
      method: "delete",
      summary: `Delete a ${word} with its points`,
      success: { status: 200, schema: Message },
      ...kind.remove,
      handle: async ({ params, caller }) => {
        await plans.remove(caller.id, params[planId] as number);
        return { message: `The ${word} was deleted.` };
      },
    }),
    route({
      ...common,
      method: "post",
      path: `/${word}/point`,
      summary: `Add one point to a ${word}`,
      description: "The body is an array of which only the first element is read. Unknown keys are refused.",
      body: kind.firstPoint,
      success: { ...whole, status: 201 },
      documents: { 404: `The caller has no ${word} with this \`${planId}\`.` },
      handle: ({ body, caller }) => {
        const first = body as Kind["newPoint"];
        return serialized(
          plans.addPoint(caller.id, (first as Record<string, number>)[planId] as number, first),
        );
      },
    }),
    route({
      ...onePoint,
      method: "get",
      summary: "Read one point",
      success: { status: 200, schema: point },
      handle: ({ params, caller }) => plans.getPoint(caller.id, params[pointId] as number),
    }),
    route({
      ...onePoint,
      method: "patch",
      summary: "Change some fields of one point",
      description: `Any column but the id and the ${word}'s id. Unknown keys are refused.`,
      body: kind.pointChange,
      success: whole,
      handle: ({ params, body, caller }) =>
        serialized(plans.changePoint(caller.id, params[pointId] as number, body as object)),
    }),
    route({
      ...onePoint,
      method: "delete",
      summary: "Delete one point",
      success: whole,
      handle: ({ params, caller }) => serialized(plans.removePoint(caller.id, params[pointId] as number)),
    }),
    route({
      ...onePlan,
      method: "post",
      path: `${onePlan.path}/points`,
      summary: `Store all points of a ${word} at once`,
      description: `They take the place of those that it had. Points without a \`sequence\` get their place in the array, from 1. All are stored or, with an unknown key or a value that does not fit, none, and the answer is 500.`,
      body: kind.allPoints,
      bodyLimitBytes: BATCH_BYTES,
      success: { ...whole, status: 201 },
      handle: ({ params, body, caller }) =>
        serialized(plans.setPoints(caller.id, params[planId] as number, body as readonly object[])),
    }),
    route({
      ...onePlan,
      method: "patch",
      path: `${onePlan.path}/points`,
      summary: `Change several points of a ${word}, all or none`,
      description: `Each row names a point by \`id\` and the columns to change. An unknown key, a value that does not fit, or a point that is not this ${word}'s fails the whole batch with 500, and nothing is changed.`,
      body: kind.pointBatch,
      bodyLimitBytes: BATCH_BYTES,
      success: whole,
      handle: ({ params, body, caller }) =>
        serialized(plans.changePoints(caller.id, params[planId] as number, body as never)),
    }),
  ];
}
