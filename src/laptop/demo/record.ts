import type { components } from "../../client/api-types";
import { type FleetClient, reply } from "../../client/client";
import { eventually } from "../../platform/eventually";

type Api = FleetClient["api"];
type Execution = components["schemas"]["Execution"];
type Stats = Pick<
  NonNullable<components["schemas"]["FlightStats"]["stats"]>,
  "duration_seconds" | "distance_m" | "max_altitude_m" | "max_speed_ms"
>;

/** The drone's executions so far, the newest first. */
export async function lastExecution(api: Api, droneId: number): Promise<Execution | undefined> {
  const params = { path: { drone_id: droneId }, query: { limit: 1 } };
  const { data } = await reply(api.GET("/executions/vehicle/{drone_id}", { params }));
  return data.executions[0];
}

/** The flight after `before` and its log's statistics in one line, once the log is uploaded and analysed. */
export async function flightRecord(api: Api, droneId: number, before: number | undefined): Promise<string> {
  return eventually("The record of this flight, with its log read,", async () => {
    const execution = await lastExecution(api, droneId);
    if (!execution || execution.id === before || execution.status !== "completed") return undefined;
    const params = { path: { execution_id: execution.id } };
    const { data } = await api.GET("/executions/{execution_id}/flight-stats", { params });
    return data?.data.stats && line(execution.id, data.data.stats);
  });
}

const line = (id: number, stats: Stats): string =>
  [
    `Execution ${id}: ${stats.duration_seconds.toFixed(0)} s`,
    `${stats.distance_m.toFixed(0)} m`,
    `at most ${(stats.max_altitude_m ?? Number.NaN).toFixed(0)} m up`,
    `and ${(stats.max_speed_ms ?? Number.NaN).toFixed(1)} m/s`,
  ].join(", ");
