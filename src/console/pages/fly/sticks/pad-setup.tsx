import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { Dialog } from "../../../parts/dialog";
import { strings } from "../../../strings";
import { AXIS_NAMES, type AxisName } from "./axes";
import { connectedPads } from "./gamepad";
import { axesOf, defaultSettings, type PadRange } from "./pad-settings";
import type { StickControl } from "./stick-control";
import { StickView } from "./stick-view";

const text = strings.fly.sticks.setup;

const EVERY_MS = 50;

interface PadSetupProps {
  readonly control: StickControl;
  readonly onClose: () => void;
}

/** Which axis moves which stick, how far each axis goes, and how the sticks answer. Every change is kept at once. */
export function PadSetup({ control, onClose }: PadSetupProps) {
  const settings = control.padSettings.value;
  const raw = useSignal<readonly number[]>([]);
  /** What each axis reached since the calibration was begun; undefined while there is none. */
  const reached = useSignal<readonly PadRange[] | undefined>(undefined);

  useEffect(() => {
    const read = () => {
      const pad = connectedPads().find(({ index }) => index === control.pad.peek()?.index);
      if (!pad) {
        onClose();
        return;
      }
      raw.value = [...pad.axes];
      reached.value = reached.peek()?.map(({ min, max }, at) => {
        const value = pad.axes[at] ?? 0;
        return { min: Math.min(min, value), middle: value, max: Math.max(max, value) };
      });
    };
    read();
    const timer = setInterval(read, EVERY_MS);
    return () => clearInterval(timer);
  }, []);

  const toggleCalibration = () => {
    if (reached.value) {
      control.setPadSettings({ ...settings, ranges: reached.value.map(usable) });
      reached.value = undefined;
    } else {
      reached.value = raw.value.map((value) => ({ min: value, middle: value, max: value }));
    }
  };

  return (
    <Dialog title={text.title} onClose={onClose}>
      <p class="pad-name">{control.pad.value?.id}</p>
      <StickView axes={axesOf(raw.value, settings)} />
      <div class="pad-axes">
        {AXIS_NAMES.map((name) => (
          <AxisRow key={name} name={name} control={control} raw={raw.value} />
        ))}
      </div>
      <RangeField
        label={text.deadBand}
        value={settings.deadBand}
        max={0.5}
        onChange={(deadBand) => control.setPadSettings({ ...settings, deadBand })}
      />
      <RangeField
        label={text.expo}
        value={settings.expo}
        max={1}
        onChange={(expo) => control.setPadSettings({ ...settings, expo })}
      />
      <p role="status" class="hint">
        {reached.value ? text.calibrating : text.calibrationHint}
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={toggleCalibration}>
          {reached.value ? text.endCalibration : text.calibrate}
        </button>
        <button
          type="button"
          onClick={() => {
            reached.value = undefined;
            control.setPadSettings(defaultSettings);
          }}
        >
          {text.reset}
        </button>
      </div>
    </Dialog>
  );
}

/** An axis that was hardly moved keeps its whole way. */
const usable = (range: PadRange): PadRange | null =>
  range.max - range.middle > 0.3 && range.middle - range.min > 0.3 ? range : null;

interface AxisRowProps {
  readonly name: AxisName;
  readonly control: StickControl;
  readonly raw: readonly number[];
}

function AxisRow({ name, control, raw }: AxisRowProps) {
  const id = useId();
  const settings = control.padSettings.value;
  const axis = settings.axes[name];
  const change = (changed: Partial<typeof axis>) =>
    control.setPadSettings({ ...settings, axes: { ...settings.axes, [name]: { ...axis, ...changed } } });
  return (
    <div class="pad-axis">
      <label for={id}>{text.axes[name]}</label>
      <select
        id={id}
        value={String(axis.index)}
        onChange={({ currentTarget }) => change({ index: Number(currentTarget.value) })}
      >
        {raw.map((_, at) => (
          <option key={at} value={String(at)}>
            {text.axis(at + 1)}
          </option>
        ))}
      </select>
      <label class="choice">
        <input
          type="checkbox"
          checked={axis.isInverted}
          onChange={({ currentTarget }) => change({ isInverted: currentTarget.checked })}
        />
        {text.inverted}
      </label>
      <output>{(raw[axis.index] ?? 0).toFixed(2)}</output>
    </div>
  );
}

interface RangeFieldProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

const RangeField = ({ label, value, max, onChange }: RangeFieldProps) => (
  <label class="range">
    {label}
    <input
      type="range"
      min="0"
      max={max}
      step="0.02"
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
    />
    <output>{Math.round(value * 100)} %</output>
  </label>
);
