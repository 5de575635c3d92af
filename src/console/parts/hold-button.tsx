import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import "./hold-button.css";

interface HoldButtonProps {
  /** Called when it was held for `holdMs`. */
  readonly onHeld: () => void;
  readonly holdMs?: number;
  /** It keeps its place and the focus, and does nothing. */
  readonly isDisabled?: boolean;
  readonly class?: string;
  /** Says that it must be held. */
  readonly children: ComponentChildren;
}

/** Long enough that no touch in passing does it. */
const HOLD_MS = 1_000;

/** A button that acts when it is held down, by pointer or by the space or enter key. */
export function HoldButton({
  onHeld,
  holdMs = HOLD_MS,
  isDisabled = false,
  class: style = "",
  children,
}: HoldButtonProps) {
  const isHeld = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    isHeld.value = false;
  };
  const press = () => {
    if (timer.current !== undefined || isDisabled) return;
    isHeld.value = true;
    timer.current = setTimeout(() => {
      release();
      onHeld();
    }, holdMs);
  };
  // What is disabled while it is held is not done.
  useEffect(() => release, [isDisabled]);
  const isKey = ({ key }: KeyboardEvent) => key === " " || key === "Enter";
  return (
    <button
      type="button"
      class={`hold ${style}`}
      data-held={isHeld.value}
      aria-disabled={isDisabled}
      style={{ "--hold": `${holdMs}ms` }}
      onPointerDown={(event) => event.button === 0 && press()}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onBlur={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        event.preventDefault();
        if (!event.repeat) press();
      }}
      onKeyUp={(event) => isKey(event) && release()}
    >
      <span>{children}</span>
    </button>
  );
}
