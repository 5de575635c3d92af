import { type ReadonlySignal, useSignal } from "@preact/signals";
import lazy, { ErrorBoundary } from "preact-iso/lazy";
import type { LatLng } from "../../../map/features";
import type { PlanPoint } from "../../../map/layers/plan-layer";
import { strings } from "../../../strings";
import type { FlightView } from "./flight-view";
import { Messages } from "./messages";
import { ModeBar } from "./mode-bar";
import { Scrubber } from "./scrubber";
import "./over-time.css";

const text = strings.flights.overTime;

// The page is shown while they load.
const FlightMap = lazy(() => import("./flight-map"));
const Plots = lazy(() => import("./plots"));

interface OverTimeProps {
  readonly view: FlightView;
  readonly drone: string;
  readonly plan: readonly PlanPoint[];
  readonly home: ReadonlySignal<LatLng | undefined>;
  /** When the flight began: milliseconds since 1970. Undefined when the log does not say. */
  readonly began: number | undefined;
  readonly live?:
    | {
        readonly heading: ReadonlySignal<number | undefined>;
        /** Nothing was heard for a while: what is shown is old. */
        readonly isSilent: ReadonlySignal<boolean>;
      }
    | undefined;
}

/** A flight on the map and in plots, which move each other's cursor, with what the vehicle wrote. */
export function OverTime({ view, drone, plan, home, began, live }: OverTimeProps) {
  const neverSilent = useSignal(false);
  const isSilent = live?.isSilent ?? neverSilent;
  return (
    <>
      <section class={`over-time ${isSilent.value ? "stale" : ""}`} aria-label={text.title}>
        <div class="flight-map">
          <div class="map-frame">
            <ErrorBoundary>
              <FlightMap {...{ view, drone, plan, home, isSilent }} heading={live?.heading} />
            </ErrorBoundary>
          </div>
          <Scrubber view={view} began={began} isLive={live !== undefined} />
        </div>
        <div class="plots">
          <ModeBar view={view} />
          <ErrorBoundary>
            <Plots view={view} />
          </ErrorBoundary>
        </div>
      </section>
      <section>
        <h2>{text.messages}</h2>
        <Messages view={view} />
      </section>
    </>
  );
}
