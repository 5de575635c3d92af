import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface LabelledProps {
  readonly label: string;
  /** Below the field. Empty for none. */
  readonly hint?: string | undefined;
  /** The field, with the id that its label names, and that of its hint. */
  readonly children: (field: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
  }) => ComponentChildren;
}

/** A field of a form below its label. */
export function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": hint ? `${id}-hint` : undefined })}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
