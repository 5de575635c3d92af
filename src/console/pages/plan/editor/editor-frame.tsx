import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import { errorText } from "../../../parts/error-text";
import { Heading } from "../../../parts/heading";
import { Failure } from "../../../parts/loaded";
import { paths } from "../../../paths";
import { strings } from "../../../strings";
import { ConflictDialog } from "./conflict-dialog";
import { IconButton } from "./icon-button";
import { Notices } from "./notices";
import type { PlanEditor } from "./plan-editor";

const text = strings.plan.editor;

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly content: () => ComponentChildren;
}

interface EditorFrameProps<Content> {
  readonly editor: PlanEditor<Content>;
  readonly name: string;
  /** Buttons of the kind of plan. */
  readonly tools: ComponentChildren;
  readonly map: ComponentChildren;
  readonly below?: ComponentChildren;
  readonly panels: readonly Panel[];
  /** The id of the panel that is shown. */
  readonly shown: Signal<string>;
  readonly saveCopy: (content: Content) => Promise<void>;
  /** How many rows or vertices a content has, in words. */
  readonly inWords: (content: Content) => string;
}

/** The page of one plan: the bar with its tools, the map, and panels beside it. */
export function EditorFrame<Content>(props: EditorFrameProps<Content>) {
  const { editor, name, tools, map, below, panels, shown, saveCopy, inWords } = props;
  const failure = useSignal("");
  const save = async () => {
    failure.value = "";
    try {
      await editor.save();
    } catch (error) {
      failure.value = errorText(error);
    }
  };
  useEditorKeys(editor, save);
  useKeptDraft(editor);
  const { value: state } = editor.state;
  return (
    <section class="plan-editor">
      <div class="plan-bar">
        <a class="button back" href={paths.plans} aria-label={text.back} title={text.back}>
          ‹
        </a>
        <Heading>{name || strings.plan.title}</Heading>
        <p class={`save-state ${state}`} role="status">
          {text.states[state]}
        </p>
        <div class="actions">
          <IconButton
            label={text.undo}
            path="M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3"
            isDisabled={!editor.history.canUndo}
            onClick={() => editor.undo()}
          />
          <IconButton
            label={text.redo}
            path="M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3"
            isDisabled={!editor.history.canRedo}
            onClick={() => editor.redo()}
          />
          <button
            type="button"
            class="primary save"
            disabled={state === "saved" || state === "conflict"}
            aria-disabled={state === "saving"}
            onClick={save}
          >
            {text.save}
          </button>
        </div>
      </div>
      <div class="plan-notices">
        <Failure text={failure.value} />
        <Notices editor={editor} />
        <ConflictDialog editor={editor} saveCopy={saveCopy} inWords={inWords} />
      </div>
      <div class="plan-tools">{tools}</div>
      <div class="plan-map">{map}</div>
      {below && <div class="plan-below">{below}</div>}
      <Panels panels={panels} shown={shown} />
    </section>
  );
}

function Panels({ panels, shown }: Pick<EditorFrameProps<unknown>, "panels" | "shown">) {
  const id = useId();
  const panel = panels.find((one) => one.id === shown.value) ?? panels[0];
  const select = (step: number) => {
    const at = panels.findIndex((one) => one.id === panel?.id);
    const next = panels[(at + step + panels.length) % panels.length];
    if (next) shown.value = next.id;
    document.getElementById(`${id}-${next?.id}`)?.focus();
  };
  return (
    <div class="plan-panel">
      <div role="tablist" class="tabs" aria-label={text.panels}>
        {panels.map((one) => (
          <button
            key={one.id}
            id={`${id}-${one.id}`}
            type="button"
            role="tab"
            aria-selected={one === panel}
            aria-controls={`${id}-panel`}
            tabIndex={one === panel ? 0 : -1}
            onClick={() => {
              shown.value = one.id;
            }}
            onKeyDown={({ key }) => {
              if (key === "ArrowRight") select(1);
              if (key === "ArrowLeft") select(-1);
            }}
          >
            {one.title}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${panel?.id}`} class="tab-panel">
        {panel?.content()}
      </div>
    </div>
  );
}

/** Ctrl or Cmd with Z, Shift+Z, Y and S. A text that is being typed has its own undo. */
function useEditorKeys<Content>(editor: PlanEditor<Content>, save: () => Promise<void>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const isTyping =
        event.target instanceof Element && event.target.matches("input:not([type='checkbox']), textarea");
      if (key === "s") {
        event.preventDefault();
        // What is being typed counts.
        if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
        const { value: state } = editor.state;
        if (state === "changed") void save();
      } else if (key === "z" && !isTyping) {
        event.preventDefault();
        if (event.shiftKey) editor.redo();
        else editor.undo();
      } else if (key === "y" && !isTyping) {
        event.preventDefault();
        editor.redo();
      }
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [editor]);
}

/** Keeps the draft before the page is left, and looks at what is stored when the user comes back to it. */
function useKeptDraft<Content>(editor: PlanEditor<Content>): void {
  useEffect(() => {
    const keep = () => editor.keepNow();
    const look = () => {
      if (document.visibilityState === "hidden") keep();
      // The next look, or the save, finds what this one missed.
      else void editor.look().catch(() => undefined);
    };
    const warn = (event: BeforeUnloadEvent) => {
      keep();
      if (editor.isUnkept.peek()) event.preventDefault();
    };
    addEventListener("pagehide", keep);
    addEventListener("beforeunload", warn);
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      keep();
      removeEventListener("pagehide", keep);
      removeEventListener("beforeunload", warn);
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [editor]);
}
