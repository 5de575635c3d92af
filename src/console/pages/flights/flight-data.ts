import { ApiError } from "../../../client/api-error";
import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { type Loaded, useLoaded } from "../../parts/loaded";
import { usePolling } from "../../parts/polling";
import { useSession } from "../../session/context";

type Schemas = components["schemas"];
export type Execution = Schemas["Execution"];
export type Flight = Schemas["ExecutionWithAssets"];
export type Asset = Schemas["Asset"];
/** Of a log, with its state. */
export type Analysis = Schemas["FlightStats"];
export type FlownPlan = Schemas["FlownPlan"];

interface LoggedTrack {
  /** Of the analysis that made it; null before one. */
  readonly analysed_at: string | null;
  /** null: there is none. */
  readonly track: Schemas["FlightTrack"]["track"];
}

export interface FlightData {
  readonly flight: Loaded<Flight>;
  /** null: no log has come. */
  readonly analysis: Loaded<Analysis | null>;
  readonly track: Loaded<LoggedTrack>;
  readonly plan: Loaded<FlownPlan>;
}

/** Milliseconds after the end of a flight in which its log and its uploads are expected. */
const LOG_EXPECTED_MS = 15 * 60_000;
const RUNNING_MS = 3_000;
const EXPECTING_MS = 5_000;

/** A flight with what was made of it, loaded again while something of it is expected to change. */
export function useFlight(id: number): FlightData {
  const { api } = useSession().client;
  const of = { params: { path: { execution_id: id } } };
  const flight = useLoaded(async () => (await reply(api.GET("/executions/{execution_id}", of))).data, [id]);
  const analysis = useLoaded(
    () => orNull(reply(api.GET("/executions/{execution_id}/flight-stats", of))),
    [id],
  );
  const analysed_at = analysis.data.value?.analysed_at ?? null;
  const track = useLoaded(async () => {
    if (!analysed_at) return { analysed_at, track: null };
    return (await reply(api.GET("/executions/{execution_id}/track", of))).data;
  }, [id, analysed_at]);
  const planState = flight.data.value?.plan_state;
  const plan = useLoaded(
    async () => (await reply(api.GET("/executions/{execution_id}/plan", of))).data,
    [id, planState],
  );
  const pause = pauseFor(flight.data.value, analysis.data.value);
  usePolling(flight.reload, pause);
  usePolling(analysis.reload, pause);
  return { flight, analysis, track, plan };
}

/** null for what does not exist yet. */
const orNull = <Data>(sent: Promise<{ data: Data }>): Promise<Data | null> =>
  sent.then(
    ({ data }) => data,
    (error) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    },
  );

/** Milliseconds until it is loaded again; undefined when nothing is expected to change. */
function pauseFor(flight: Flight | undefined, analysis: Analysis | null | undefined): number | undefined {
  if (!flight) return undefined;
  if (flight.status === "in_progress") return RUNNING_MS;
  const since = Date.now() - Date.parse(flight.completed_at ?? flight.started_at);
  if (since > LOG_EXPECTED_MS) return undefined;
  return isExpecting(flight, analysis) ? EXPECTING_MS : undefined;
}

/** Whether the log, its figures, an upload or a picture of this flight may still come. */
export function isExpecting({ assets, report }: Flight, analysis: Analysis | null | undefined): boolean {
  const isFinal = analysis && analysis.status !== "pending" && !analysis.recorded;
  const isComing = ({ status, stream }: Asset) => status === "pending" || stream === "pending";
  return !isFinal || assets.some(isComing) || report === "pending" || report === "queued";
}
