import { useComputed } from "@preact/signals";
import { duration } from "../../../format/time";
import { NO_VALUE } from "../../../format/units";
import { now } from "../../../parts/now";
import { useFlown } from "../context";
import type { TimedSignal } from "../vehicle-state";

interface ReadingProps<Value> {
  readonly label: string;
  readonly of: TimedSignal<Value>;
  /** The text that is shown. It may read signals. */
  readonly show: (value: Value) => string;
  readonly class?: string;
}

/** A value with its label. An old one is grey and crossed, with its age. */
export function Reading<Value>({ label, of, show, class: style = "" }: ReadingProps<Value>) {
  const { state } = useFlown();
  const text = useComputed(() => (of.value ? show(of.value.value) : NO_VALUE));
  const isOld = useComputed(() => of.value !== undefined && !state.isFresh(of.value));
  const age = useComputed(() => (isOld.value && of.value ? duration(now.value - of.value.at) : ""));
  return (
    <div class={`reading ${style}`} data-old={isOld}>
      <dt>
        <span class="label">{label}</span> <span class="age">{age}</span>
      </dt>
      <dd>{text}</dd>
    </div>
  );
}
