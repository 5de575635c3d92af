import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "../../../parts/dialog";
import { errorText } from "../../../parts/error-text";
import { Failure } from "../../../parts/loaded";
import { strings } from "../../../strings";
import type { PlanEditor } from "./plan-editor";

interface ConflictDialogProps<Content> {
  readonly editor: PlanEditor<Content>;
  /** Stores the edited plan under another name. */
  readonly saveCopy: (content: Content) => Promise<void>;
  readonly inWords: (content: Content) => string;
}

const text = strings.plan.conflict;

/** Another tab or client has changed what is stored. It is said before anything is overwritten. */
export function ConflictDialog<Content>({ editor, saveCopy, inWords }: ConflictDialogProps<Content>) {
  const isLater = useSignal(false);
  const failure = useSignal("");
  const theirs = editor.theirs.value;
  useEffect(() => {
    isLater.value = false;
    failure.value = "";
  }, [theirs]);
  if (!theirs) return null;
  const act = (work: () => Promise<void>) => async () => {
    failure.value = "";
    try {
      await work();
    } catch (error) {
      failure.value = errorText(error);
    }
  };
  if (isLater.value)
    return (
      <p role="alert" class="failure">
        {text.later}{" "}
        <button
          type="button"
          onClick={() => {
            isLater.value = false;
          }}
        >
          {text.choose}
        </button>
      </p>
    );
  return (
    <Dialog
      title={text.title}
      onClose={() => {
        isLater.value = true;
      }}
    >
      <p>{text.intro}</p>
      <dl class="versions">
        <dt>{text.mine}</dt>
        <dd>{inWords(editor.content)}</dd>
        <dt>{text.theirs}</dt>
        <dd>{inWords(theirs.content)}</dd>
      </dl>
      <Failure text={failure.value} />
      <div class="choices">
        <button
          type="button"
          class="primary"
          autofocus
          onClick={act(async () => {
            const { content } = editor;
            await saveCopy(content);
            editor.takeTheirs();
          })}
        >
          {text.copy}
        </button>
        <button type="button" onClick={() => editor.takeTheirs()}>
          {text.take}
        </button>
        <button type="button" class="danger" onClick={act(() => editor.overwrite())}>
          {text.overwrite}
        </button>
      </div>
      <p class="hint">{text.undo}</p>
    </Dialog>
  );
}
