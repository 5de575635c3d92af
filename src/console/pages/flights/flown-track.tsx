import { signal, useComputed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { duration } from "../../format/time";
import { useTelemetry } from "../../live/context";
import { now } from "../../parts/now";
import { paths, pathTo } from "../../paths";
import { strings } from "../../strings";
import type { Flight, FlightData } from "./flight-data";
import { planPoints } from "./flown-plan";
import { FlightView } from "./over-time/flight-view";
import { LiveTrack } from "./over-time/live-track";
import { OverTime } from "./over-time/over-time";
import type { Track } from "./over-time/track";

const text = strings.flights;

/** Milliseconds without a word of the vehicle, after which what is shown is old. */
const SILENT_MS = 1_500;

interface FlownTrackProps {
  readonly data: FlightData;
  readonly flight: Flight;
  readonly drone: string;
}

/** The track of the log; until that has come, the one that was seen live. */
export function FlownTrack({ data, flight, drone }: FlownTrackProps) {
  const isRunning = flight.status === "in_progress";
  const live = useMemo(() => new LiveTrack(Date.parse(flight.started_at)), [flight.started_at]);
  const logged = data.track.data.value?.track;
  const plan = useMemo(() => planPoints(data.plan.data.value), [data.plan.data.value]);
  if (!isRunning && logged) return <OfLog track={logged} {...{ data, drone, plan }} />;
  const wasSeen = live.track.value.seconds.length > 0;
  return (
    <>
      {isRunning && <LiveFeed flight={flight} live={live} refresh={data.flight.reload} />}
      {!isRunning && wasSeen && <p role="status">{text.live.over}</p>}
      {!isRunning && isWithoutTrack(data) && <p>{text.log.noTrack}</p>}
      {(isRunning || wasSeen) && <Seen {...{ live, drone, plan, flight, isRunning }} />}
    </>
  );
}

/** A release without tracks analysed the log. */
function isWithoutTrack({ analysis, track }: FlightData): boolean {
  const { value: analysed } = analysis.data;
  return Boolean(analysed?.stats) && track.data.value?.analysed_at === analysed?.analysed_at;
}

type Points = ReturnType<typeof planPoints>;

interface OfLogProps {
  readonly track: Track;
  readonly data: FlightData;
  readonly drone: string;
  readonly plan: Points;
}

function OfLog({ track, data, drone, plan }: OfLogProps) {
  const view = useMemo(() => new FlightView(signal(track)), [track]);
  const stats = data.analysis.data.value?.stats;
  const home = useComputed(() => stats?.home ?? undefined);
  if (track.seconds.length === 0) return <p>{text.log.noPositions}</p>;
  const began = stats?.started_at ? Date.parse(stats.started_at) : undefined;
  return <OverTime {...{ view, drone, plan, home, began }} />;
}

interface SeenProps {
  readonly live: LiveTrack;
  readonly drone: string;
  readonly plan: Points;
  readonly flight: Flight;
  readonly isRunning: boolean;
}

function Seen({ live, drone, plan, flight, isRunning }: SeenProps) {
  const view = useMemo(() => new FlightView(live.track), [live]);
  const isSilent = useComputed(() => isRunning && now.value - (live.heardAt.value ?? 0) > SILENT_MS);
  return (
    <OverTime
      {...{ view, drone, plan, home: live.home, began: Date.parse(flight.started_at) }}
      live={{ heading: live.heading, isSilent }}
    />
  );
}

interface LiveFeedProps {
  readonly flight: Flight;
  readonly live: LiveTrack;
  /** Loads the flight again, which may be over. */
  readonly refresh: () => Promise<void>;
}

/** Watches the vehicle while it flies. */
function LiveFeed({ flight: { drone_id }, live, refresh }: LiveFeedProps) {
  useTelemetry(drone_id, "dashboard", (frame) => live.take(frame));
  const armed = live.armed.value;
  useEffect(() => {
    if (armed === false) void refresh();
  }, [armed]);
  const heardAt = live.heardAt.value;
  const age = heardAt === undefined ? 0 : now.value - heardAt;
  return (
    <div class="live">
      <p>
        <strong>{text.live.title}.</strong>{" "}
        <span class={age > SILENT_MS ? "silent" : ""}>
          {heardAt === undefined ? text.live.waiting : text.live.heard(duration(age))}
        </span>{" "}
        {text.live.sinceOpened}
      </p>
      <a class="button" href={pathTo(paths.fly, drone_id)}>
        {text.flyIt}
      </a>
    </div>
  );
}
