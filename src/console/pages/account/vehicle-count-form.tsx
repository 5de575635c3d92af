import { useSignal } from "@preact/signals";
import { Form } from "../../parts/form";
import { Labelled } from "../../parts/labelled";
import { strings } from "../../strings";

const text = strings.account.subscription;

/** As the API has it. */
const MOST = 100_000;

interface VehicleCountFormProps {
  readonly start: number;
  /** The number that changes nothing. */
  readonly unchanged?: number;
  readonly label: (count: number) => string;
  readonly busyLabel: string;
  /** What a number costs. */
  readonly cost: (count: number) => string;
  readonly submit: (count: number) => Promise<void>;
}

/** A number of vehicles, one more or less by a button, with what it costs. */
export function VehicleCountForm({
  start,
  unchanged,
  label,
  busyLabel,
  cost,
  submit,
}: VehicleCountFormProps) {
  const entered = useSignal(String(start));
  const count = Number(entered.value);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MOST;
  const step = (by: number) => () => {
    entered.value = String(Math.min(MOST, Math.max(1, (isCount ? count : start) + by)));
  };
  return (
    <Form
      label={label(isCount ? count : start)}
      busyLabel={busyLabel}
      isDisabled={!isCount || count === unchanged}
      submit={() => submit(count)}
    >
      <Labelled label={text.vehicles} hint={isCount ? cost(count) : text.notACount}>
        {(field) => (
          <div class="stepper">
            <button type="button" aria-label={text.less} onClick={step(-1)}>
              −
            </button>
            <input
              {...field}
              type="number"
              required
              min={1}
              max={MOST}
              value={entered.value}
              onInput={({ currentTarget: { value } }) => {
                entered.value = value;
              }}
            />
            <button type="button" aria-label={text.more} onClick={step(1)}>
              +
            </button>
          </div>
        )}
      </Labelled>
    </Form>
  );
}
