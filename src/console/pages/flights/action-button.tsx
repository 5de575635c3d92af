import type { ComponentChildren } from "preact";
import { useAction } from "../../parts/action";

interface ActionButtonProps {
  readonly act: () => Promise<void>;
  /** Shown while `act` runs. */
  readonly busyLabel?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button with the words of its failure beside it. */
export function ActionButton({ act, label, busyLabel, children }: ActionButtonProps) {
  const { isBusy, failure, run } = useAction();
  return (
    <>
      <button type="button" aria-label={label} aria-disabled={isBusy.value} onClick={() => run(act)}>
        {isBusy.value && busyLabel ? busyLabel : children}
      </button>
      <span role="alert" class="failure" hidden={failure.value === ""}>
        {failure.value}
      </span>
    </>
  );
}
