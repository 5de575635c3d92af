import { strings } from "../strings";
import { Dialog } from "./dialog";
import { Form } from "./form";

interface ConfirmProps {
  readonly title: string;
  /** What will be gone or changed. */
  readonly children: string;
  /** Says what the button does, such as "Delete the drone". */
  readonly label: string;
  readonly busyLabel: string;
  /** Does it. The message of its error is shown, and the dialog stays. */
  readonly confirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done that cannot be undone. Its focus begins at the button that does nothing. */
export const Confirm = ({ title, children, label, busyLabel, confirm, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{children}</p>
    <Form submit={confirm} label={label} busyLabel={busyLabel} isDangerous>
      <button type="button" autofocus onClick={onClose}>
        {strings.cancel}
      </button>
    </Form>
  </Dialog>
);
