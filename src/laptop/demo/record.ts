import { setTimeout as delay } from "node:timers/promises";
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

const limitMs = 60_000;
const pauseMs = 500;

/** The drone's executions so far, the newest first. */
export async function lastExecution(api: ApiClient, droneId: number): Promise<Execution | undefined> {
  const path = `/executions/vehicle/${droneId}?limit=1`;
  const { data } = await api.get<{ data: { executions: readonly Execution[] } }>(path);
  return data.executions[0];
}

/** What the log of the flight after `before` says, in one line, once the drone has brought it and it was read. */
export async function flightRecord(
  api: ApiClient,
  droneId: number,
  before: number | undefined,
): Promise<string> {
  const deadline = Date.now() + limitMs;
  let state = "no execution was begun";
  while (Date.now() < deadline) {
    const execution = await lastExecution(api, droneId);
    if (execution && execution.id !== before) {
      state = `execution ${execution.id} is ${execution.status}, its log is not read yet`;
      const path = `/executions/${execution.id}/flight-stats`;
      const reply = await api.get<{ data: { stats: Stats | null } }>(path).catch(() => undefined);
      if (execution.status === "completed" && reply?.data.stats) return line(execution.id, reply.data.stats);
    }
    await delay(pauseMs);
  }
  throw new Error(`The flight is not on record after ${limitMs / 1000} s: ${state}.`);
}

const line = (id: number, stats: Stats): string =>
  [
    `Execution ${id}: ${stats.duration_seconds.toFixed(0)} s`,
    `${stats.distance_m.toFixed(0)} m`,
    `at most ${(stats.max_altitude_m ?? Number.NaN).toFixed(0)} m up`,
    `and ${(stats.max_speed_ms ?? Number.NaN).toFixed(1)} m/s`,
  ].join(", ");
