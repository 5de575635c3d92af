import { useComputed } from "@preact/signals";
import { clock, duration, localTimeOfDay } from "../../format/time";
import { NO_VALUE, percent, voltage } from "../../format/units";
import { useLive } from "../../live/context";
import { Heading } from "../../parts/heading";
import { isNarrow } from "../../parts/media";
import { now } from "../../parts/now";
import { strings } from "../../strings";
import { useFlown } from "./context";
import { Movement } from "./instruments/instruments";
import { Reading } from "./instruments/reading";
import { isLate, type StickLink } from "./sticks/stick-link";

const text = strings.fly.status;

/** What a pilot looks at first, always at the same place. */
export function StatusStrip({ sticks }: { sticks: StickLink }) {
  const { drone, state } = useFlown();
  const battery = useComputed(() => {
    const timed = state.voltage.value;
    return timed && { ...timed, value: [timed.value, state.batteryLeft.value?.value] as const };
  });
  return (
    <header class="status">
      <Heading>{drone.name}</Heading>
      {/* The instruments are below the orders there. */}
      {isNarrow.value && (
        <dl class="readings movement">
          <Movement />
        </dl>
      )}
      <dl class="readings">
        <Reading
          label={text.motors}
          of={state.armed}
          show={(armed) => (armed ? text.armed : text.disarmed)}
          class={state.armed.value?.value ? "armed" : ""}
        />
        <Reading label={text.mode} of={state.mode} show={(mode) => mode} class="mode" />
        <Reading
          label={text.battery}
          of={battery}
          show={([volts, left]) => `${percent(left)} ${voltage(volts)}`}
          class="battery"
        />
        <Link />
        <FlightTime />
        <Sticks link={sticks} />
      </dl>
      <NewestError />
    </header>
  );
}

/** Whether the vehicle is heard, and since when not. */
function Link() {
  const { state } = useFlown();
  const isLive = state.isLive.value;
  const silence = state.silence.value;
  const shown = isLive ? text.live : silence === undefined ? text.notHeard : text.silent(duration(silence));
  return (
    <div class={`reading link ${isLive ? "" : "lost"}`}>
      <dt>{text.link}</dt>
      <dd>{shown}</dd>
    </div>
  );
}

function FlightTime() {
  const { state } = useFlown();
  const since = state.armedSince.value;
  const seconds = since ? Math.max(0, (now.value - since.at) / 1_000) : undefined;
  return (
    <div class="reading" data-old={since !== undefined && !state.isLive.value}>
      <dt>{text.flightTime}</dt>
      <dd>
        {seconds === undefined ? NO_VALUE : since?.value ? clock(seconds) : text.atLeast(clock(seconds))}
      </dd>
    </div>
  );
}

/** The way of a stick frame to the drone and back; whichever panel is shown. */
function Sticks({ link }: { link: StickLink }) {
  const isSending = link.state.value === "sending";
  const late = isLate(link, now.value);
  const answer = link.answer.value;
  const trip =
    answer && !late
      ? strings.fly.sticks.milliseconds(Math.round(answer.roundTrip))
      : strings.fly.sticks.noAnswer;
  return (
    <div class={`reading sticks-reading ${isSending ? (late ? "lost" : "on") : ""}`}>
      <dt>{text.sticks}</dt>
      <dd>{isSending ? trip : link.state.value === "off" ? text.sticksOff : text.sticksWait}</dd>
    </div>
  );
}

/** The newest error of the vehicle; or why the gateway does not hear it. */
function NewestError() {
  const { state } = useFlown();
  const live = useLive();
  const message = state.messages.newestError.value;
  const refusal = state.isLive.value ? "" : live.error.value;
  return (
    <p class="newest-error" role="status">
      {refusal === "" && !message && <span class="quiet-text">{text.noError}</span>}
      {refusal !== "" && <strong>{refusal}</strong>}
      {refusal === "" && message && (
        <>
          <time>{localTimeOfDay(message.at)}</time> <bdi>{message.text}</bdi>
        </>
      )}
    </p>
  );
}
