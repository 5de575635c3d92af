import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

interface TapToggleProps {
  readonly isAdding: Signal<boolean>;
  readonly label: string;
  readonly isDisabled?: boolean;
}

/** Whether a tap on the map adds. Escape ends it. */
export function TapToggle({ isAdding, label, isDisabled = false }: TapToggleProps) {
  useEffect(() => {
    const end = ({ key }: KeyboardEvent) => {
      if (key === "Escape") isAdding.value = false;
    };
    addEventListener("keydown", end);
    return () => removeEventListener("keydown", end);
  }, []);
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isAdding.value && !isDisabled}
      disabled={isDisabled}
      onClick={() => {
        isAdding.value = !isAdding.value;
      }}
    >
      {label}
    </button>
  );
}
