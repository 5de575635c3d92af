import { strings } from "../../../strings";
import type { Axes } from "./axes";

const text = strings.fly.sticks;

/** Two squares with the place of each stick in it. */
export const StickView = ({ axes }: { axes: Axes }) => (
  <div class="stick-view">
    <OneStick label={text.leftStick} x={axes.yaw} y={axes.throttle} />
    <OneStick label={text.rightStick} x={axes.roll} y={axes.pitch} />
  </div>
);

const OneStick = ({ label, x, y }: { label: string; x: number; y: number }) => (
  <svg viewBox="-50 -50 100 100" role="img" aria-label={`${label}: ${x.toFixed(2)}, ${y.toFixed(2)}`}>
    <rect x="-48" y="-48" width="96" height="96" rx="8" class="way" />
    <path d="M-48 0H48M0 -48V48" class="cross" />
    <circle cx={x * 42} cy={-y * 42} r="6" class="knob" />
  </svg>
);
