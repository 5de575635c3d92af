import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { strings } from "../strings";
import "./copy-text.css";

interface CopyTextProps {
  /** What the text is. */
  readonly label: string;
  readonly text: string;
  readonly rows?: number;
}

/** A text to be used elsewhere, such as a command, and a button that copies it. */
export function CopyText({ label, text, rows = 4 }: CopyTextProps) {
  const shown = useRef<HTMLTextAreaElement>(null);
  const isCopied = useSignal(false);
  const copy = async () => {
    // Selected as well: a page that came without TLS has no clipboard, and its user copies by hand.
    shown.current?.select();
    await navigator.clipboard?.writeText(text);
    isCopied.value = navigator.clipboard !== undefined;
  };
  return (
    <div class="copy-text">
      <textarea ref={shown} aria-label={label} readOnly rows={rows} spellcheck={false} value={text} />
      <button type="button" onClick={() => copy().catch(() => undefined)}>
        {isCopied.value ? strings.copied : strings.copy}
      </button>
    </div>
  );
}
