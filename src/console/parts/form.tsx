import type { ComponentChildren, TargetedEvent } from "preact";
import { useAction } from "./action";

/** The values of a form's fields, by their names. */
export type Values = Readonly<Record<string, string>>;

interface FormProps {
  /** What it does with the values. The message of its error is shown. */
  readonly submit: (values: Values) => Promise<void>;
  readonly label: string;
  /** The button's label while `submit` runs. */
  readonly busyLabel: string;
  /** It deletes or ends something. */
  readonly isDangerous?: boolean;
  /** What `submit` needs is missing; the page says what. */
  readonly isDisabled?: boolean;
  readonly children?: ComponentChildren;
}

/** Fields with one button. One `submit` runs at a time. */
export function Form({
  submit,
  label,
  busyLabel,
  isDangerous = false,
  isDisabled = false,
  children,
}: FormProps) {
  const { isBusy, failure, run } = useAction();

  const onSubmit = (event: TargetedEvent<HTMLFormElement, SubmitEvent>) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    void run(() => submit(values));
  };

  return (
    <form onSubmit={onSubmit} class="form">
      {children}
      <p role="alert" class="failure" hidden={failure.value === ""}>
        {failure.value}
      </p>
      {/* Not disabled: that would take the focus away. */}
      <button
        type="submit"
        class={isDangerous ? "danger" : "primary"}
        aria-disabled={isBusy.value}
        disabled={isDisabled}
      >
        {isBusy.value ? busyLabel : label}
      </button>
    </form>
  );
}
