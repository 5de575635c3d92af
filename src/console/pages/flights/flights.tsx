import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../client/client";
import { clock, localTime, timeZone } from "../../format/time";
import { Heading } from "../../parts/heading";
import { Labelled } from "../../parts/labelled";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { now } from "../../parts/now";
import { usePolling } from "../../parts/polling";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { type DroneNames, droneName, useDroneNames } from "./drone-names";
import type { Execution } from "./flight-data";
import { FlightState } from "./flight-state";
import "./flights.css";

const text = strings.flights;

const PAGE = 50;
/** Milliseconds until the list is loaded again. */
const WHILE_LIVE_MS = 5_000;
const OTHERWISE_MS = 30_000;

/** The user's flights, the newest first; of one drone with `?drone=<id>`. */
export default function Flights() {
  const { query, route } = useLocation();
  const droneId = Number(query.drone) || undefined;
  const names = useDroneNames();
  const limit = useSignal(PAGE);
  const flights = useFlights(droneId, limit.value);
  const isAnyLive = flights.data.value?.executions.some(({ status }) => status === "in_progress");
  usePolling(flights.reload, isAnyLive ? WHILE_LIVE_MS : OTHERWISE_MS);
  return (
    <section class="wide flights">
      <Heading>{text.title}</Heading>
      <DroneFilter
        names={names.data.value}
        chosen={droneId}
        choose={(id) => {
          limit.value = PAGE;
          route(id ? `${paths.flights}?drone=${id}` : paths.flights, true);
        }}
      />
      <ShowLoaded of={flights}>
        {({ executions, total }) => (
          <>
            <FlightList flights={executions} total={total} names={names.data.value} ofDrone={droneId} />
            {executions.length < total && (
              <button
                type="button"
                class="older"
                onClick={() => {
                  limit.value += PAGE;
                }}
              >
                {text.older}
              </button>
            )}
          </>
        )}
      </ShowLoaded>
    </section>
  );
}

/** As many of the newest flights, from as many replies as that takes. */
function useFlights(droneId: number | undefined, limit: number) {
  const { api } = useSession().client;
  const page = async (offset: number) => {
    const query = { limit: PAGE, offset };
    const sent = droneId
      ? api.GET("/executions/vehicle/{drone_id}", { params: { path: { drone_id: droneId }, query } })
      : api.GET("/executions", { params: { query } });
    return (await reply(sent)).data;
  };
  return useLoaded(async () => {
    const offsets = Array.from({ length: Math.ceil(limit / PAGE) }, (_, at) => at * PAGE);
    const pages = await Promise.all(offsets.map(page));
    // A flight that began meanwhile moves one from a page to the next.
    const all = new Map(pages.flatMap(({ executions }) => executions.map((one) => [one.id, one])));
    return { executions: [...all.values()], total: pages[0]?.total ?? 0 };
  }, [droneId, limit]);
}

interface DroneFilterProps {
  readonly names: DroneNames | undefined;
  readonly chosen: number | undefined;
  readonly choose: (id: number | undefined) => void;
}

function DroneFilter({ names = new Map(), chosen, choose }: DroneFilterProps) {
  const all = new Map(chosen && !names.has(chosen) ? [[chosen, droneName(names, chosen)], ...names] : names);
  return (
    <div class="filter">
      <Labelled label={text.ofDrone}>
        {(field) => (
          <select
            {...field}
            value={chosen ?? ""}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value) || undefined)}
          >
            <option value="">{text.allDrones}</option>
            {[...all].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}

interface FlightListProps {
  readonly flights: readonly Execution[];
  readonly total: number;
  readonly names: DroneNames | undefined;
  readonly ofDrone: number | undefined;
}

function FlightList({ flights, total, names, ofDrone }: FlightListProps) {
  if (flights.length === 0) return <p>{ofDrone ? text.noneOf : text.none}</p>;
  return (
    <table class="list">
      <caption>{text.count(flights.length, total, timeZone())}</caption>
      <thead>
        <tr>
          <th scope="col">{text.drone}</th>
          <th scope="col" class="when-wide">
            {text.mission}
          </th>
          <th scope="col">{text.when}</th>
          <th scope="col" class="number when-wide">
            {text.howLong}
          </th>
          <th scope="col" class="when-wide">
            {text.state}
          </th>
        </tr>
      </thead>
      <tbody>
        {flights.map((flight) => (
          <tr key={flight.id}>
            <th scope="row">
              <a href={pathTo(paths.flight, flight.id)}>{droneName(names, flight.drone_id)}</a>
              <div class="when-narrow">
                {flight.mission_name ?? text.noMission}
                <br />
                <FlightState status={flight.status} />
              </div>
            </th>
            <td class={`when-wide ${flight.mission_name === null ? "quiet-text" : ""}`}>
              {flight.mission_name ?? text.noMission}
            </td>
            <td>
              {localTime(flight.started_at)}
              <div class="when-narrow">
                <Duration flight={flight} />
              </div>
            </td>
            <td class="number when-wide">
              <Duration flight={flight} />
            </td>
            <td class="when-wide">
              <FlightState status={flight.status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Of a live flight, until now. */
function Duration({ flight: { started_at, completed_at } }: { flight: Execution }) {
  const end = completed_at ? Date.parse(completed_at) : performance.timeOrigin + now.value;
  return <>{clock((end - Date.parse(started_at)) / 1_000)}</>;
}
