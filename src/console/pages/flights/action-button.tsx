import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { errorText } from "../../parts/error-text";

interface ActionButtonProps {
  readonly act: () => Promise<void>;
  /** Shown while `act` runs. */
  readonly busyLabel?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button that does one thing at a time, with the words of its failure beside it. */
export function ActionButton({ act, label, busyLabel, children }: ActionButtonProps) {
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const press = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = "";
    try {
      await act();
    } catch (error) {
      failure.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button type="button" aria-label={label} aria-disabled={isBusy.value} onClick={press}>
        {isBusy.value && busyLabel ? busyLabel : children}
      </button>
      <span role="alert" class="failure" hidden={failure.value === ""}>
        {failure.value}
      </span>
    </>
  );
}
