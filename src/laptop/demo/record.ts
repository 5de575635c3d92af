import { eventually } from "../../platform/eventually";
import type { ApiClient } from "../api-client";

interface Execution {
  readonly id: number;
  readonly status: string;
}

interface Stats {
  readonly duration_seconds: number;
  readonly distance_m: number;
  readonly max_speed_ms: number | null;
  readonly max_altitude_m: number | null;
}

/** The drone's executions so far, the newest first. */
export async function lastExecution(api: ApiClient, droneId: number): Promise<Execution | undefined> {
  const path = `/executions/vehicle/${droneId}?limit=1`;
  const { data } = await api.get<{ data: { executions: readonly Execution[] } }>(path);
  return data.executions[0];
}

/** The flight after `before` and its log's statistics in one line, once the log is uploaded and analysed. */
export async function flightRecord(
  api: ApiClient,
  droneId: number,
  before: number | undefined,
): Promise<string> {
  return eventually("The record of this flight, with its log read,", async () => {
    const execution = await lastExecution(api, droneId);
    if (!execution || execution.id === before || execution.status !== "completed") return undefined;
    const path = `/executions/${execution.id}/flight-stats`;
    const reply = await api.get<{ data: { stats: Stats | null } }>(path).catch(() => undefined);
    return reply?.data.stats && line(execution.id, reply.data.stats);
  });
}

const line = (id: number, stats: Stats): string =>
  [
    `Execution ${id}: ${stats.duration_seconds.toFixed(0)} s`,
    `${stats.distance_m.toFixed(0)} m`,
    `at most ${(stats.max_altitude_m ?? Number.NaN).toFixed(0)} m up`,
    `and ${(stats.max_speed_ms ?? Number.NaN).toFixed(1)} m/s`,
  ].join(", ");
