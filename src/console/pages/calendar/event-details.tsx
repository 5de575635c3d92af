import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { useAction } from "../../parts/action";
import { Dialog } from "../../parts/dialog";
import { Failure } from "../../parts/loaded";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { FlightRecord } from "./flight-record";
import { readRule } from "./rule";
import { type CalendarEvent, type Status, stateOf } from "./states";
import { dayAt, inWords, longDate, timeIn, timeOf, zoneText } from "./words";
import { here } from "./zone";

const text = strings.calendar;

interface EventDetailsProps {
  /** A single event, or one occurrence of a series. */
  readonly event: CalendarEvent;
  readonly drones: readonly components["schemas"]["Drone"][];
  readonly missions: readonly components["schemas"]["Mission"][];
  /** An instant. */
  readonly now: number;
  readonly onChanged: (event: CalendarEvent) => Promise<void>;
  /** Called with the series of an occurrence. */
  readonly onEdit: (event: CalendarEvent) => void;
  readonly onDelete: (event: CalendarEvent) => void;
  readonly onClose: () => void;
}

const statuses = ["scheduled", "in_progress", "completed", "failed", "cancelled"] as const;

/** One flight: what is planned, and its state, which the user sets. */
export function EventDetails(props: EventDetailsProps) {
  const { event, drones, missions, now, onChanged, onEdit, onDelete, onClose } = props;
  const { api } = useSession().client;
  const { failure, run } = useAction();
  const path = { event_id: event.id };
  const drone = drones.find(({ id }) => id === event.drone_id);
  const mission = missions.find(({ id }) => id === event.mission_id);

  /** Of this occurrence or single event alone. */
  const set = (status: Status, execution_id: number | null) =>
    run(async () => {
      const occurrence_time = event.scheduled_time;
      const { data } = event.is_occurrence
        ? await reply(
            api.PUT("/calendar/events/{event_id}/occurrences/status", {
              params: { path },
              body: { occurrence_time, status, execution_id },
            }),
          )
        : await reply(
            api.PUT("/calendar/events/{event_id}", { params: { path }, body: { status, execution_id } }),
          );
      await onChanged(data);
    });
  const edit = () =>
    run(async () => onEdit((await reply(api.GET("/calendar/events/{event_id}", { params: { path } }))).data));

  return (
    <Dialog title={event.title} onClose={onClose}>
      <dl class="fact-list">
        <dt>{text.event.time}</dt>
        <dd>
          <When event={event} />
        </dd>
        <dt>{text.event.drone}</dt>
        <dd>{drone ? <a href={pathTo(paths.fly, drone.id)}>{drone.name}</a> : text.deleted}</dd>
        <dt>{text.event.mission}</dt>
        <dd>{mission ? <a href={pathTo(paths.mission, mission.id)}>{mission.name}</a> : text.deleted}</dd>
        {event.recurrence_rule !== null && (
          <>
            <dt>{text.event.repeats}</dt>
            <dd>
              <Repeats
                rule={event.recurrence_rule}
                start={event.original_scheduled_time ?? event.scheduled_time}
              />
            </dd>
          </>
        )}
        {event.description && (
          <>
            <dt>{text.event.notes}</dt>
            <dd class="notes">{event.description}</dd>
          </>
        )}
      </dl>
      <h3 id="event-state">{event.is_occurrence ? text.event.stateOfThis : text.event.state}</h3>
      <fieldset aria-labelledby="event-state" class="states">
        {statuses.map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={event.status === status}
            onClick={() => set(status, event.execution_id)}
          >
            {text.states[status]}
          </button>
        ))}
      </fieldset>
      {stateOf(event, now) === "missed" && (
        <p class="missed-text">
          <strong>{text.states.missed}.</strong> {text.event.missed}
        </p>
      )}
      {/* A planned occurrence keeps no record: one that has one was flown. */}
      <FlightRecord
        event={event}
        onLink={(id) => set(id !== null && event.status === "scheduled" ? "completed" : event.status, id)}
      />
      <Failure text={failure.value} />
      <div class="actions event-actions">
        <button type="button" class="primary" onClick={edit}>
          {event.is_occurrence ? text.event.editSeries : text.event.edit}
        </button>
        <button type="button" class="deletes" onClick={() => onDelete(event)}>
          {event.is_occurrence ? text.event.removeSeries : text.event.remove}
        </button>
      </div>
    </Dialog>
  );
}

/** In local time, and in that of a series that is elsewhere. */
function When({ event }: { event: CalendarEvent }) {
  const at = Date.parse(event.scheduled_time);
  const day = dayAt(at);
  const zone = event.recurrence_rule === null ? here : readRule(event.recurrence_rule, at).zone;
  return (
    <>
      {longDate(day)}, {timeOf(at)}
      <br />
      <span class="quiet-text">{zoneText(here, day)}</span>
      {zone.name !== here.name && (
        <>
          <br />
          <span class="quiet-text">
            {text.event.seriesTime(`${timeIn(zone, at)}, ${zoneText(zone, day)}`)}
          </span>
        </>
      )}
    </>
  );
}

function Repeats({ rule, start }: { rule: string; start: string }) {
  const { repetition } = readRule(rule, Date.parse(start));
  return (
    <>
      {repetition && inWords(repetition)}
      <code class="rule">{rule}</code>
    </>
  );
}
