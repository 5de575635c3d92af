import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { HoldButton } from "../../../parts/hold-button";
import { strings } from "../../../strings";

interface SheetProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Takes the focus when it opens. Escape closes it. */
export function Sheet({ title, close, children }: SheetProps) {
  const sheet = useRef<HTMLElement>(null);
  const id = useId();
  useEffect(() => {
    const [element, before] = [sheet.current, document.activeElement];
    element?.focus();
    return () => {
      if (element?.contains(document.activeElement) && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <section
      ref={sheet}
      class="sheet"
      tabIndex={-1}
      aria-labelledby={id}
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface SheetButtonsProps {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly close: () => void;
  readonly onHeld: () => void;
}

export const SheetButtons = ({ label, isDisabled, close, onHeld }: SheetButtonsProps) => (
  <div class="actions">
    <button type="button" onClick={close}>
      {strings.cancel}
    </button>
    <HoldButton class="primary" isDisabled={isDisabled} onHeld={onHeld}>
      {label}
    </HoldButton>
  </div>
);
