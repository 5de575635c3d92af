import { clock } from "../../../format/time";
import { strings } from "../../../strings";
import type { FlightView } from "./flight-view";
import { rowAt, type Track } from "./track";

const text = strings.flights.overTime;

interface Line {
  readonly seconds: number;
  readonly kind: keyof typeof text.severities;
  readonly words: string;
}

const linesOf = ({ modes, messages }: Track): Line[] =>
  [
    ...modes.map(({ seconds, name }) => ({ seconds, kind: "mode", words: text.enters(name) }) as const),
    ...messages.map(({ seconds, severity, text }) => ({ seconds, kind: severity, words: text })),
  ].sort((a, b) => a.seconds - b.seconds);

/** What the vehicle wrote and its changes of mode. A press on one moves the cursor there. */
export function Messages({ view }: { view: FlightView }) {
  const lines = linesOf(view.track.value);
  if (lines.length === 0) return <p>{text.noMessages}</p>;
  return (
    <ol class="messages">
      {lines.map(({ seconds, kind, words }, at) => (
        <li key={at} class={kind}>
          <button type="button" onClick={() => view.pointTo(rowAt(view.track.peek(), seconds))}>
            <span class="at">{seconds < 0 ? text.before : clock(seconds)}</span>
            <span class="words">
              {text.severities[kind] && <strong>{text.severities[kind]}: </strong>}
              {words}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
