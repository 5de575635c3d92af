interface IconButtonProps {
  readonly label: string;
  /** Of an SVG of 24 by 24. */
  readonly path: string;
  readonly isDisabled?: boolean;
  readonly class?: string;
  readonly onClick: () => void;
}

/** What deletes. */
export const BIN = "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7M10.5 10.5v6M13.5 10.5v6";

export const IconButton = ({
  label,
  path,
  isDisabled = false,
  class: style = "",
  onClick,
}: IconButtonProps) => (
  <button
    type="button"
    class={`icon ${style}`}
    aria-label={label}
    title={label}
    disabled={isDisabled}
    onClick={onClick}
  >
    <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
);
