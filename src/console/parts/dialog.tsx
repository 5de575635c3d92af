import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { strings } from "../strings";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  /** Called by Escape and the button that closes it. The caller then no longer renders it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open while it is rendered. The focus goes back where it was when it closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <CloseButton label={strings.close} onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}

export const CloseButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <button type="button" class="quiet" aria-label={label} title={label} onClick={onClick}>
    <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
      <path d="M6 6l12 12M18 6L6 18" />
    </svg>
  </button>
);
