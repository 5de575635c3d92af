import { useSignal } from "@preact/signals";
import { localTime } from "../../../format/time";
import { Confirm } from "../../../parts/confirm";
import { strings } from "../../../strings";
import type { PlanEditor } from "./plan-editor";

const text = strings.plan.editor;

/** What the user must know of the draft. */
export function Notices<Content>({ editor }: { editor: PlanEditor<Content> }) {
  const isAsking = useSignal(false);
  const restoredAt = editor.restoredAt.value;
  return (
    <>
      {restoredAt && (
        <p role="status" class="notice">
          {text.restored(localTime(restoredAt))}{" "}
          <button
            type="button"
            onClick={() => {
              isAsking.value = true;
            }}
          >
            {text.discard}
          </button>
        </p>
      )}
      {editor.isUnkept.value && (
        <p role="alert" class="failure">
          {text.unkept}
        </p>
      )}
      {isAsking.value && (
        <Confirm
          title={text.discardTitle}
          label={text.discard}
          busyLabel={text.discard}
          confirm={async () => {
            isAsking.value = false;
            editor.discard();
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          {text.discardText}
        </Confirm>
      )}
    </>
  );
}
