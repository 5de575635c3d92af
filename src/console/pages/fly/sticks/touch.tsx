import { type Signal, signal } from "@preact/signals";
import { strings } from "../../../strings";
import type { StickSource } from "./axes";

const text = strings.fly.sticks;

/** Of one stick under a finger, -1 to 1: to the right, and up. */
interface Deflection {
  readonly x: number;
  readonly y: number;
}

const REST: Deflection = { x: 0, y: 0 };
const left = signal(REST);
const right = signal(REST);

/** Two sticks on the screen: throttle and yaw at the left, pitch and roll at the right. */
export const touchSource = (): StickSource => ({
  read: () => ({
    axes: {
      throttle: left.peek().y,
      yaw: left.peek().x,
      pitch: right.peek().y,
      roll: right.peek().x,
    },
    buttons: [],
  }),
  end() {
    left.value = REST;
    right.value = REST;
  },
});

export const TouchSticks = () => (
  <div class="touch-sticks">
    <TouchStick label={text.leftStick} deflection={left} />
    <TouchStick label={text.rightStick} deflection={right} />
  </div>
);

/** It goes back to its middle when the finger leaves. */
function TouchStick({ label, deflection }: { label: string; deflection: Signal<Deflection> }) {
  const move = (event: PointerEvent & { readonly currentTarget: Element }) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - left) / width) * 2 - 1;
    const y = 1 - ((event.clientY - top) / height) * 2;
    // The end of its way is a circle.
    const beyond = Math.max(1, Math.hypot(x, y));
    deflection.value = { x: x / beyond, y: y / beyond };
  };
  const release = () => {
    deflection.value = REST;
  };
  const { x, y } = deflection.value;
  return (
    <div
      class="touch-stick"
      role="img"
      aria-label={label}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
    >
      <svg viewBox="-100 -100 200 200" aria-hidden="true">
        <circle r="96" class="way" />
        <path d="M-96 0H96M0 -96V96" class="cross" />
        <circle cx={x * 60} cy={-y * 60} r="36" class="knob" />
      </svg>
    </div>
  );
}
