import { useSignal } from "@preact/signals";
import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { Dialog } from "../../parts/dialog";
import { Form } from "../../parts/form";
import { Labelled } from "../../parts/labelled";
import { paths } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Day } from "./day";
import { changesOf, type Draft, draftOf, newDraft, newEventOf, ruleOf, startOf } from "./draft";
import { RepetitionFields } from "./repetition-fields";
import type { CalendarEvent } from "./states";
import { zoneText } from "./words";
import { here, localText, parseLocal, showings, type Zone } from "./zone";

const text = strings.calendar.form;

interface EventFormProps {
  /** The event to change, of a series its own row. A new one when absent. */
  readonly event: CalendarEvent | undefined;
  /** Of a new flight. */
  readonly day: Day;
  readonly isToday: boolean;
  /** The drone that is chosen at first, if any. */
  readonly drone: number | undefined;
  readonly drones: readonly components["schemas"]["Drone"][];
  readonly missions: readonly components["schemas"]["Mission"][];
  /** Whether drones and missions are known. */
  readonly isLoaded: boolean;
  readonly onSaved: (event: CalendarEvent) => Promise<void>;
  readonly onClose: () => void;
}

/** Plans a flight or a series, or changes one. */
export function EventForm(props: EventFormProps) {
  const { event, drones, missions, isLoaded, onClose } = props;
  const title = !event ? text.add : event.recurrence_rule === null ? text.edit : text.editSeries;
  return (
    <Dialog title={title} onClose={onClose}>
      {!isLoaded ? (
        <p>{strings.loading}</p>
      ) : drones.length === 0 ? (
        <Lacking words={strings.calendar.noDrones} to={paths.home} label={strings.calendar.toFleet} />
      ) : missions.length === 0 ? (
        <Lacking words={strings.calendar.noMissions} to={paths.plans} label={strings.calendar.toPlans} />
      ) : (
        <Fields {...props} />
      )}
    </Dialog>
  );
}

const Lacking = ({ words, to, label }: { words: string; to: string; label: string }) => (
  <>
    <p>{words}</p>
    <a class="button" href={to}>
      {label}
    </a>
  </>
);

function Fields({ event, day, isToday, drone, drones, missions, onSaved }: EventFormProps) {
  const { api } = useSession().client;
  const draft = useSignal<Draft>(
    event ? draftOf(event) : firstDraft(day, isToday ? Date.now() : undefined, drone, drones, missions),
  );
  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part };
  };
  const hasKeptRule = event?.recurrence_rule != null && draftOf(event).repeats === "kept";

  const save = async () => {
    if (event) {
      const body = changesOf(draft.value, event);
      const path = { event_id: event.id };
      if (!body) return;
      const { data } = await reply(api.PUT("/calendar/events/{event_id}", { params: { path }, body }));
      await onSaved(data);
    } else {
      const body = newEventOf(draft.value);
      if (!body) return;
      const { data } = await reply(api.POST("/calendar/events", { body }));
      await onSaved(data);
    }
  };

  const { title, notes } = draft.value;
  return (
    <Form submit={save} label={text.save} busyLabel={text.saving}>
      <Labelled label={text.title}>
        {(field) => (
          <input
            {...field}
            required
            maxLength={200}
            value={title}
            onInput={({ currentTarget: { value } }) => change({ title: value })}
          />
        )}
      </Labelled>
      <div class="beside">
        <Choice
          label={text.drone}
          value={draft.value.drone}
          options={drones}
          choose={(value) => change({ drone: value })}
        />
        <Choice
          label={text.mission}
          value={draft.value.mission}
          options={missions}
          choose={(value) => change({ mission: value })}
        />
      </div>
      <StartField {...{ event, change }} draft={draft.value} />
      <RepetitionFields {...{ hasKeptRule, change }} draft={draft.value} />
      <ShownRule draft={draft.value} before={event?.recurrence_rule ?? null} />
      <Labelled label={text.notes}>
        {(field) => (
          <textarea
            {...field}
            rows={3}
            maxLength={5_000}
            value={notes}
            onInput={({ currentTarget: { value } }) => change({ notes: value })}
          />
        )}
      </Labelled>
    </Form>
  );
}

/** With the drone's own mission, if it has one, and that mission's name. */
function firstDraft(
  day: Day,
  now: number | undefined,
  drone: number | undefined,
  drones: EventFormProps["drones"],
  missions: EventFormProps["missions"],
): Draft {
  const chosen = drones.find(({ id }) => id === drone) ?? drones[0];
  const mission = missions.find(({ id }) => id === chosen?.mission_id) ?? missions[0];
  return {
    ...newDraft(day, now, String(chosen?.id ?? ""), String(mission?.id ?? "")),
    title: mission?.name ?? "",
  };
}

interface ChoiceProps {
  readonly label: string;
  /** An id. */
  readonly value: string;
  readonly options: readonly { readonly id: number; readonly name: string }[];
  readonly choose: (value: string) => void;
}

const Choice = ({ label, value, options, choose }: ChoiceProps) => (
  <Labelled label={label}>
    {(field) => (
      <select {...field} required value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {!options.some(({ id }) => String(id) === value) && (
          <option value={value} disabled>
            {strings.calendar.deleted}
          </option>
        )}
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

interface StartFieldProps {
  readonly event: CalendarEvent | undefined;
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

/** Date and time, in the local time of the browser or of where the series is. */
function StartField({ event, draft, change }: StartFieldProps) {
  const { start, zone, repeats } = draft;
  const others = event ? [draftOf(event).zone].filter(({ name }) => name !== here.name) : [];
  const clocks: readonly Zone[] = [...others, here];
  const day = start.slice(0, 10);
  const named = day === "" ? zone.name : zoneText(zone, day);
  /** The same moment, by another clock. */
  const follow = (next: Zone) => {
    const at = startOf(draft);
    change({ zone: next, ...(at === undefined ? {} : { start: localText(next.toLocal(at)) }) });
  };
  return (
    <>
      <Labelled
        label={repeats === "once" ? text.start(named) : text.firstStart(named)}
        hint={clockHint(draft)}
      >
        {(field) => (
          <input
            {...field}
            type="datetime-local"
            required
            min="1970-01-02T00:00"
            max="2199-12-30T23:59"
            value={start}
            onInput={({ currentTarget: { value } }) => change({ start: value })}
          />
        )}
      </Labelled>
      {clocks.length > 1 && repeats !== "kept" && (
        <Labelled label={text.clock}>
          {(field) => (
            <select
              {...field}
              value={zone.name}
              onChange={({ currentTarget: { value } }) =>
                follow(clocks.find(({ name }) => name === value) ?? here)
              }
            >
              {clocks.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Labelled>
      )}
    </>
  );
}

/** Of a time at which the clocks change. */
function clockHint({ start, zone }: Draft): string | undefined {
  const local = parseLocal(start);
  if (local === undefined) return undefined;
  const how = showings(zone, local);
  if (how === "never") return text.never(localText(zone.toLocal(zone.toInstant(local))).slice(11));
  return how === "twice" ? text.twice : undefined;
}

/** The rule as the API gets it, or as another program wrote it. */
function ShownRule({ draft, before }: { draft: Draft; before: string | null }) {
  const start = startOf(draft);
  if (draft.repeats === "once" || start === undefined) return null;
  return (
    <div class="field">
      <span class="rule-label">{text.rule}</span>
      <output class="rule">{ruleOf(draft, start, before)}</output>
    </div>
  );
}
