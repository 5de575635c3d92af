import { z } from "zod";
import { ids, MailedToken, Message, type Page, type Route, route } from "../../http/route";
import type { AssetsService } from "../assets";
import { toItemOnBoard } from "../plan-transfers";
import {
  CompleteRequest,
  ExecutionPage,
  ExecutionReply,
  ExecutionWithAssets,
  FlownPlanReply,
  LogReply,
  LogRequest,
  PageQuery,
  ReportEmails,
  ReportEmailsInput,
  SendReportRequest,
  StartRequest,
  toExecutionReply,
} from "./executions.schema";
import type { ExecutionsService } from "./executions.service";
import { confirmationPage } from "./report/confirmation";
import type { ReportsService } from "./report/reports.service";

const tag = "Executions";
const fromDrone = { tag, guard: "drone", envelope: "A+top" } as const;
const fromOwner = { tag, guard: "user", envelope: "A" } as const;
const fromOwnerTop = { tag, guard: "user", envelope: "A+top" } as const;
const params = ids("execution_id");
const anotherDrones = { 403: "The execution is another drone's." };

type Found = Awaited<ReturnType<ExecutionsService["list"]>>;

const toPage = ({ rows, total }: Found, page: Page) => ({
  executions: rows.map(toExecutionReply),
  total,
  ...page,
});

interface Services {
  readonly service: ExecutionsService;
  readonly assets: Pick<AssetsService, "ofExecution">;
}

interface ReportServices {
  readonly service: ExecutionsService;
  readonly reports: ReportsService;
}

/** Called by drones. */
const dronesRoutes = ({ service }: Services): readonly Route[] => [
  route({
    ...fromDrone,
    method: "post",
    path: "/executions/start",
    summary: "Start an execution, or get the one in progress",
    description: "Reads the plan on board and compares it with the one that was verified at its upload.",
    body: StartRequest,
    success: { status: 200, schema: ExecutionReply },
    documents: {
      404: "No such drone, or its owner has no such mission.",
      429: "The drone's quota of executions is used up.",
    },
    handle: async ({ caller, body }) => toExecutionReply(await service.start(caller, body.mission_id)),
  }),
  route({
    ...fromDrone,
    method: "post",
    path: "/executions/:execution_id/complete",
    summary: "End an execution",
    description:
      "The report is sent at once, or when the pending uploads and the log's analysis are complete.",
    params,
    body: CompleteRequest,
    success: { status: 200, schema: ExecutionReply },
    documents: anotherDrones,
    handle: async ({ caller, params, body }) =>
      toExecutionReply(await service.complete(caller, params.execution_id, body)),
  }),
  route({
    ...fromDrone,
    method: "post",
    path: "/executions/:execution_id/log",
    summary: "Set the flight log of an execution",
    description: "The log is analysed in the background, once it is uploaded.",
    params,
    body: LogRequest,
    success: { status: 200, schema: LogReply },
    documents: anotherDrones,
    handle: ({ caller, params, body }) => service.attachLog(caller, params.execution_id, body.asset_id),
  }),
  route({
    method: "get",
    path: "/executions/current",
    tag,
    summary: "The execution in progress, or null",
    guard: "drone",
    envelope: "A",
    success: { status: 200, schema: ExecutionReply.nullable() },
    handle: async ({ caller }) => {
      const current = await service.current(caller);
      return current && toExecutionReply(current);
    },
  }),
];

const ownersRoutes = ({ service, assets }: Services): readonly Route[] => [
  route({
    ...fromOwner,
    method: "get",
    path: "/executions/vehicle/:drone_id",
    summary: "A vehicle's executions, newest first",
    params: ids("drone_id"),
    query: PageQuery,
    success: { status: 200, schema: ExecutionPage },
    documents: { 403: "The vehicle is not yours." },
    handle: async ({ caller, params, query }) =>
      toPage(await service.listOfVehicle(caller.id, params.drone_id, query), query),
  }),
  route({
    ...fromOwner,
    method: "get",
    path: "/executions",
    summary: "Your executions, newest first",
    query: PageQuery,
    success: { status: 200, schema: ExecutionPage },
    handle: async ({ caller, query }) => toPage(await service.list(caller.id, query), query),
  }),
  route({
    ...fromOwner,
    method: "get",
    path: "/executions/:execution_id",
    summary: "An execution with its assets",
    description: "With the first 5,000 assets; the list of the vehicle's assets has all.",
    params,
    success: { status: 200, schema: ExecutionWithAssets },
    handle: async ({ caller, params }) => {
      const execution = await service.get(caller.id, params.execution_id);
      return { ...toExecutionReply(execution), assets: await assets.ofExecution(execution.id) };
    },
  }),
  route({
    ...fromOwner,
    method: "get",
    path: "/executions/:execution_id/plan",
    summary: "The plan on board at the start of an execution",
    params,
    success: { status: 200, schema: FlownPlanReply },
    handle: async ({ caller, params }) => {
      const { plan_state, plan_hash, plan_items } = await service.get(caller.id, params.execution_id);
      return { plan_state, plan_hash, items: plan_items?.map(toItemOnBoard) ?? null };
    },
  }),
  route({
    ...fromOwner,
    method: "delete",
    path: "/executions/:execution_id",
    summary: "Delete an execution, its assets and its archive",
    params,
    success: { status: 200, schema: z.object({ id: z.int() }), message: "Deleted." },
    handle: async ({ caller, params }) => {
      await service.delete(caller.id, params.execution_id);
      return { id: params.execution_id };
    },
  }),
];

/** The report of an execution, and its recipients. */
export const reportRoutes = ({ service, reports }: ReportServices): readonly Route[] => [
  route({
    ...fromOwner,
    method: "post",
    path: "/executions/:execution_id/send-report",
    summary: "Send the report of an execution by mail",
    params,
    body: SendReportRequest,
    success: { status: 200, schema: SendReportRequest, message: "Sent." },
    documents: { 429: "Too many mails to this address." },
    handle: async ({ caller, params, body }) => {
      await reports.sendTo(await service.get(caller.id, params.execution_id), body.email);
      return { email: body.email };
    },
  }),
  route({
    ...fromOwnerTop,
    method: "get",
    path: "/user/report-emails",
    summary: "Recipients of the reports of your executions",
    success: { status: 200, schema: ReportEmails },
    handle: ({ caller }) => reports.recipients(caller.id),
  }),
  route({
    ...fromOwnerTop,
    method: "put",
    path: "/user/report-emails",
    summary: "Set more recipients of the reports of your executions",
    description:
      "Each new address is mailed a link, with which its owner confirms it. It gets no report before.",
    body: ReportEmailsInput,
    success: { status: 200, schema: ReportEmails },
    documents: { 429: "The addresses are stored, but mails to confirm some of them are beyond a quota." },
    handle: ({ caller, body }) => reports.setExtraEmails(caller.id, body.extra_emails),
  }),
  route({
    method: "get",
    path: "/report-emails/confirm/:token",
    tag,
    summary: "The page of the link that a new recipient of reports is mailed",
    guard: "public",
    envelope: "raw",
    params: MailedToken,
    success: { status: 200, schema: z.string(), mediaTypes: ["text/html"] },
    handle: ({ ctx }) => {
      ctx.type = "html";
      ctx.body = confirmationPage;
    },
  }),
  route({
    method: "post",
    path: "/report-emails/confirm/:token",
    tag,
    summary: "Confirm a recipient of reports",
    guard: "token",
    envelope: "B",
    params: MailedToken,
    success: { status: 200, schema: Message },
    documents: { 401: "The link was used or has expired." },
    handle: async ({ params }) => ({
      message: `${await reports.confirm(params.token)} is confirmed: reports are sent to it from now on.`,
    }),
  }),
];

export const executionRoutes = (services: Services): readonly Route[] => [
  ...dronesRoutes(services),
  ...ownersRoutes(services),
];
