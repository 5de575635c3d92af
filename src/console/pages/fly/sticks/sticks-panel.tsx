import { useSignal } from "@preact/signals";
import { duration } from "../../../format/time";
import { NO_VALUE } from "../../../format/units";
import { now } from "../../../parts/now";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import { PadSetup } from "./pad-setup";
import type { SourceKind, StickControl } from "./stick-control";
import { type FrameAnswer, isLate, type StickState } from "./stick-link";
import "./sticks.css";

const text = strings.fly.sticks;

/** Turns the sticks on and off, and shows what becomes of their frames. */
export function SticksPanel({ control }: { control: StickControl }) {
  const { link, kind, deflection } = control;
  const isOff = link.state.value === "off";
  const isPadMissing = kind.value === "gamepad" && !control.pad.value;
  const isSetUp = useSignal(false);
  return (
    <div class="sticks">
      <div class="sticks-switch field">
        <select
          aria-label={text.source}
          value={kind.value}
          // A change would be another source in the middle of a flight.
          disabled={!isOff}
          onChange={({ currentTarget }) => {
            kind.value = currentTarget.value as SourceKind;
          }}
        >
          <option value="keyboard">{text.sources.keyboard}</option>
          <option value="gamepad">{text.sources.gamepad}</option>
          <option value="touch">{text.sources.touch}</option>
        </select>
        <button
          type="button"
          class="primary"
          aria-disabled={!isOff || isPadMissing}
          onClick={() => isOff && !isPadMissing && control.turnOn()}
        >
          {text.turnOn}
        </button>
        <button type="button" aria-disabled={isOff} onClick={() => link.turnOff()}>
          {text.turnOff}
        </button>
      </div>
      <p role="status" class={`sticks-state ${link.state.value}`}>
        {stateText(link.state.value, link.reason.value)}
      </p>
      <Answers control={control} />
      <ModeHint isOff={isOff} />
      {kind.value === "keyboard" && (
        <>
          <p class="hint">{text.keys}</p>
          <label class="range">
            {text.deflection}
            <input
              type="range"
              min="0.1"
              max="1"
              step="0.1"
              value={deflection.value}
              onInput={({ currentTarget }) => {
                deflection.value = currentTarget.valueAsNumber;
              }}
            />
            <output>{Math.round(deflection.value * 100)} %</output>
          </label>
        </>
      )}
      {kind.value === "gamepad" && (
        <>
          <p class="hint pad-name">{control.pad.value?.id ?? text.noPad}</p>
          {control.pads.value.length > 1 && (
            <select
              aria-label={text.pad}
              disabled={!isOff}
              value={String(control.pad.value?.index)}
              onChange={({ currentTarget }) => control.choosePad(Number(currentTarget.value))}
            >
              {control.pads.value.map(({ index, id }) => (
                <option key={index} value={String(index)}>
                  {id}
                </option>
              ))}
            </select>
          )}
          <button
            type="button"
            aria-disabled={!isOff || isPadMissing}
            onClick={() => {
              isSetUp.value = isOff && !isPadMissing;
            }}
          >
            {text.setUp}
          </button>
        </>
      )}
      {isSetUp.value && (
        <PadSetup
          control={control}
          onClose={() => {
            isSetUp.value = false;
          }}
        />
      )}
    </div>
  );
}

const stateText = (state: StickState, reason: string): string =>
  [text.states[state], reason].filter(Boolean).join(" ");

/** What the drone says of the frames. */
function Answers({ control: { link } }: { control: StickControl }) {
  const answer = link.answer.value;
  const isOld = isLate(link, now.value);
  const age = answer?.acknowledgement.age_ms ?? null;
  return (
    <div data-old={isOld}>
      <dl class="readings answers">
        <Figure label={text.roundTrip}>
          {answer ? text.milliseconds(Math.round(answer.roundTrip)) : NO_VALUE}
        </Figure>
        <Figure label={text.age}>{age === null ? NO_VALUE : text.milliseconds(age)}</Figure>
        <Figure label={text.frames}>{String(link.sent.value)}</Figure>
        <Figure label={text.drone}>{droneText(answer)}</Figure>
      </dl>
      <p class="late">{isOld && text.late(answer ? duration(now.value - answer.at) : "")}</p>
    </div>
  );
}

const Figure = ({ label, children }: { label: string; children: string }) => (
  <div class="reading">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

function droneText(answer: FrameAnswer | undefined): string {
  if (!answer) return NO_VALUE;
  const { accepted, reason, state } = answer.acknowledgement;
  if (accepted) return text.droneStates[state] ?? NO_VALUE;
  return (reason && text.refusals[reason]) || text.refused;
}

/** Sticks do nothing in a mode that they do not fly. */
function ModeHint({ isOff }: { isOff: boolean }) {
  const { state, orders } = useFlown();
  const modes = orders.modes.value?.modes ?? [];
  const mode = state.mode.value?.value;
  const flown = modes.filter(({ sticks }) => sticks).map(({ name }) => name);
  const some = flown.filter((name) => USUAL.test(name));
  if (mode === undefined || flown.length === 0) return <p class="hint" />;
  if (flown.includes(mode)) return <p class="hint">{text.flies(mode)}</p>;
  return <p class="hint">{isOff ? text.first(some) : text.doesNotFly(mode, some)}</p>;
}

/** Modes in which the sticks are easy to fly. */
const USUAL = /^(LOITER|ALT_HOLD|POSHOLD|POSCTL|ALTCTL|MANUAL|STEERING)$/;
