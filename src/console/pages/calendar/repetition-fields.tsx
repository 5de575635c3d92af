import { Labelled } from "../../parts/labelled";
import { strings } from "../../strings";
import { type Day, firstWeekday, weekdayOf } from "./day";
import type { Draft, Repeats } from "./draft";
import { type End, frequencies, type Weekday, weekdays } from "./rule";
import { weekdayNames } from "./words";

const text = strings.calendar.form;

interface RepetitionFieldsProps {
  readonly draft: Draft;
  /** Whether the event has a rule that only its text can say. */
  readonly hasKeptRule: boolean;
  readonly change: (part: Partial<Draft>) => void;
}

/** Whether and how a flight repeats. */
export function RepetitionFields({ draft, hasKeptRule, change }: RepetitionFieldsProps) {
  const { repeats } = draft;
  const isSeries = repeats !== "once" && repeats !== "kept";
  return (
    <>
      <Labelled label={text.repeats} hint={repeats === "kept" ? text.keptHint : undefined}>
        {(field) => (
          <select
            {...field}
            value={repeats}
            onChange={({ currentTarget: { value } }) => change({ repeats: value as Repeats })}
          >
            {hasKeptRule && <option value="kept">{text.kept}</option>}
            <option value="once">{text.once}</option>
            {frequencies.map((one) => (
              <option key={one} value={one}>
                {text.frequencies[one]}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {isSeries && (
        <>
          <Labelled label={text.every[repeats]} hint={hintOf(draft)}>
            {(field) => (
              <input
                {...field}
                type="number"
                required
                min={1}
                max={1_000}
                value={draft.interval}
                onInput={({ currentTarget: { value } }) => change({ interval: value })}
              />
            )}
          </Labelled>
          {repeats === "WEEKLY" && <WeekdayField {...{ draft, change }} />}
          <EndFields {...{ draft, change }} />
        </>
      )}
    </>
  );
}

/** Of a month without the start's day. */
function hintOf({ repeats, start }: Draft): string | undefined {
  const isLate = Number(start.slice(8, 10)) > (repeats === "MONTHLY" ? 28 : 0);
  const isLeapDay = repeats === "YEARLY" && start.slice(5, 10) === "02-29";
  return (repeats === "MONTHLY" && isLate) || isLeapDay ? text.shortMonths : undefined;
}

interface PartProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

function WeekdayField({ draft, change }: PartProps) {
  const first = firstWeekday();
  const inOrder = weekdays.map((_, at) => weekdays[(at + first - 1) % 7] as Weekday);
  const ofStart = draft.start === "" ? undefined : weekdays[weekdayOf(draft.start.slice(0, 10)) - 1];
  const startsLater = ofStart !== undefined && draft.weekdays.length > 0 && !draft.weekdays.includes(ofStart);
  const toggle = (day: Weekday) =>
    change({
      weekdays: weekdays.filter((one) => (one === day) !== draft.weekdays.includes(one)),
    });
  return (
    <fieldset class="weekday-field">
      <legend>{text.weekdays}</legend>
      <div class="weekday-choices">
        {inOrder.map((day) => {
          const { short, long } = weekdayNames(weekdays.indexOf(day) + 1);
          return (
            <button
              key={day}
              type="button"
              title={long}
              aria-pressed={draft.weekdays.includes(day)}
              onClick={() => toggle(day)}
            >
              {short}
            </button>
          );
        })}
      </div>
      {startsLater && <p class="quiet-text">{text.startLater}</p>}
    </fieldset>
  );
}

function EndFields({ draft, change }: PartProps) {
  // Hourly flights end at an hour of their last day, which this field cannot say.
  const kinds: readonly End["kind"][] =
    draft.repeats === "HOURLY" ? ["never", "count"] : ["never", "count", "day"];
  return (
    <div class="beside">
      <Labelled label={text.ends}>
        {(field) => (
          <select
            {...field}
            value={draft.ends}
            onChange={({ currentTarget: { value } }) => change({ ends: value as End["kind"] })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {text.endings[kind]}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {draft.ends === "count" && (
        <Labelled label={text.count}>
          {(field) => (
            <input
              {...field}
              type="number"
              required
              min={1}
              max={100_000}
              value={draft.count}
              onInput={({ currentTarget: { value } }) => change({ count: value })}
            />
          )}
        </Labelled>
      )}
      {draft.ends === "day" && (
        <Labelled label={text.lastDay}>
          {(field) => (
            <input
              {...field}
              type="date"
              required
              min={draft.start.slice(0, 10)}
              max="2199-12-31"
              value={draft.lastDay}
              onInput={({ currentTarget: { value } }) => change({ lastDay: value as Day })}
            />
          )}
        </Labelled>
      )}
    </div>
  );
}
