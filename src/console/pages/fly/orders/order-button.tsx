import { HoldButton } from "../../../parts/hold-button";

interface OrderButtonProps {
  readonly label: string;
  /** What it does more exactly, or how. It stands where the reason stands when the order makes no sense now. */
  readonly hint?: string;
  /** Why the order makes no sense now; empty when it does. */
  readonly why?: string;
  /** It acts when it is held, not when it is pressed. */
  readonly isHeld?: boolean;
  readonly class?: string;
  readonly onOrder: () => void;
}

/** A button that keeps its place and its size, whatever the vehicle does. */
export function OrderButton({
  label,
  hint = "",
  why = "",
  isHeld = false,
  class: style = "",
  onOrder,
}: OrderButtonProps) {
  const isDisabled = why !== "";
  const inside = (
    <>
      <strong>{label}</strong>
      <small>{why || hint}</small>
    </>
  );
  if (isHeld)
    return (
      <HoldButton class={`order-button ${style}`} isDisabled={isDisabled} onHeld={onOrder}>
        {inside}
      </HoldButton>
    );
  return (
    <button
      type="button"
      class={`order-button ${style}`}
      aria-disabled={isDisabled}
      onClick={() => !isDisabled && onOrder()}
    >
      <span>{inside}</span>
    </button>
  );
}
