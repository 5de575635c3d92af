import { useSignal } from "@preact/signals";
import { localTimeOfDay } from "../../../format/time";
import { strings } from "../../../strings";
import { Choice } from "../choice";
import { useFlown } from "../context";
import type { Gravity, Message } from "./message-log";

const text = strings.fly.messages;

const filters = {
  all: ["error", "warning", "info"],
  warnings: ["error", "warning"],
  errors: ["error"],
} as const satisfies Readonly<Record<string, readonly Gravity[]>>;
type Filter = keyof typeof filters;

/** The vehicle's status texts, the newest first. */
export function Messages() {
  const { messages, counts } = useFlown().state.messages;
  const filter = useSignal<Filter>("all");
  const wanted: readonly Gravity[] = filters[filter.value];
  const shown = messages.value.filter(({ gravity }) => wanted.includes(gravity));
  const { error, warning, info } = counts.value;
  return (
    <div class="messages">
      <Choice
        label={text.filter}
        chosen={filter}
        of={[
          ["all", text.all(error + warning + info)],
          ["warnings", text.warnings(error + warning)],
          ["errors", text.errors(error)],
        ]}
      />
      {shown.length === 0 ? (
        <p class="none">{text.none}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too
        <ol tabIndex={0} aria-label={text.title}>
          {shown.map((message) => (
            <MessageRow key={message.id} {...message} />
          ))}
        </ol>
      )}
    </div>
  );
}

const MessageRow = ({ gravity, text: words, at, times }: Message) => (
  <li class={gravity}>
    <time>{localTimeOfDay(at)}</time> <span class="visually-hidden">{text.gravities[gravity]} </span>
    <bdi>{words}</bdi>
    {times > 1 && <span class="times"> ×{times}</span>}
  </li>
);
