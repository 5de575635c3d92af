import type { ComponentChildren } from "preact";
import { Dialog } from "../../../parts/dialog";
import { Form, type Values } from "../../../parts/form";
import { strings } from "../../../strings";

interface NamedDialogProps {
  readonly title: string;
  /** Of the values `name` and those of the further fields. */
  readonly submit: (values: Values) => Promise<void>;
  readonly onClose: () => void;
  /** Further fields. */
  readonly children?: ComponentChildren;
}

/** A new plan by its name. */
export const NamedDialog = ({ title, submit, onClose, children }: NamedDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form submit={submit} label={strings.plan.lists.create} busyLabel={strings.plan.lists.creating}>
      <div class="field">
        <label for="new-name">{strings.plan.name}</label>
        <input id="new-name" name="name" required maxLength={200} autocomplete="off" autofocus />
      </div>
      {children}
    </Form>
  </Dialog>
);
