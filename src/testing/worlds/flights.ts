import type { ApiClient } from "../client";
import { until } from "../until";
import type { TestGateway, TestUser } from "./start-gateway";
import { droneClient } from "./uploads";

/** A user, a drone and its execution in progress. */
export interface Flight {
  readonly user: TestUser;
  readonly vehicle: { readonly id: number; readonly ip: string };
  /** The API client of the onboard agent. */
  readonly drone: ApiClient;
  /** The execution in progress. */
  readonly id: number;
}

export async function startFlight(gateway: TestGateway, name = "Surveyor"): Promise<Flight> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name, vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  return { user, vehicle: body, drone, id: await startExecution(drone) };
}

export const startExecution = async (drone: ApiClient): Promise<number> =>
  (await drone.post("/executions/start", {})).body.id;

export const endExecution = (drone: ApiClient, id: number, status = "completed") =>
  drone.post(`/executions/${id}/complete`, { status });

/** Adds recipients of the user's reports, and confirms them with the links that they are mailed. */
export async function confirmRecipients(gateway: TestGateway, user: TestUser, emails: readonly string[]) {
  await user.api.put("/user/report-emails", { extra_emails: emails.join(",") });
  for (const email of emails) {
    const mail = gateway.mail.mails.findLast(({ to }) => to.includes(email.toLowerCase()));
    const { status } = await gateway.api.post(new URL(mail?.links[0] ?? "").pathname.replace("/api/v1", ""));
    if (status !== 200) throw new Error(`${email} was not confirmed: ${status}.`);
  }
}

/** The execution as its owner sees it. */
export const executionOf = async ({ user }: Pick<Flight, "user">, id: number) =>
  (await user.api.get(`/executions/${id}`)).body.data;

/** Resolves when the execution's report is out. */
export const untilReported = (flight: Pick<Flight, "user">, id: number) =>
  until(async () => (await executionOf(flight, id)).report === "sent", 60_000);

/** When the report's deadline job runs. */
export const deadlineOf = async ({ deps }: TestGateway, id: number): Promise<Date | undefined> =>
  (
    await deps
      .db("graphile_worker.jobs")
      .where({ key: `report-deadline:${id}` })
      .first("run_at")
  )?.run_at;

/** Makes the report's deadline job due now. */
export const expireDeadline = ({ deps }: TestGateway, id: number) =>
  deps.db.raw("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = ?", [
    `report-deadline:${id}`,
  ]);
