import type { Signal } from "@preact/signals";

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly chosen: Signal<Name>;
  readonly of: readonly (readonly [name: Name, label: string])[];
}

/** Buttons of which one is chosen. */
export const Choice = <Name extends string>({ label, chosen, of }: ChoiceProps<Name>) => (
  <fieldset class="choices" aria-label={label}>
    {of.map(([name, shown]) => (
      <button
        key={name}
        type="button"
        aria-pressed={chosen.value === name}
        onClick={() => {
          chosen.value = name;
        }}
      >
        {shown}
      </button>
    ))}
  </fieldset>
);
