import { type Signal, useSignal } from "@preact/signals";
import { height, inMetres, shortLength } from "../../../format/units";
import type { LatLng } from "../../../map/features";
import { HoldButton } from "../../../parts/hold-button";
import { Labelled } from "../../../parts/labelled";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import { PushSheet } from "./push-sheet";
import { Sheet, SheetButtons } from "./sheet";

const text = strings.fly.sheets;

export type SheetOf =
  | { readonly kind: "take-off" | "stop-motors" | "push" }
  /** Without a position it is entered. */
  | { readonly kind: "go-to"; readonly position?: LatLng };
export type OpenSheet = (sheet: SheetOf) => void;

/** What an order needs to know before it is given. It lies over the map alone: every other order stays in reach. */
export function Sheets({ sheet }: { sheet: Signal<SheetOf | undefined> }) {
  const close = () => {
    sheet.value = undefined;
  };
  const open = sheet.value;
  switch (open?.kind) {
    case "take-off":
      return <TakeOffSheet close={close} />;
    case "stop-motors":
      return <StopMotorsSheet close={close} />;
    case "push":
      return <PushSheet close={close} />;
    case "go-to":
      // Another position on the map begins the sheet anew.
      return (
        <GoToSheet key={`${open.position?.lat} ${open.position?.lng}`} at={open.position} close={close} />
      );
    default:
      return null;
  }
}

/** As entered, in the unit that is shown, kept for the next order. */
const entered = { takeOff: "", goTo: "" };

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly type?: "number" | "text";
}

const NumberField = ({ label, value, type = "text" }: FieldProps) => (
  <Labelled label={label}>
    {(field) => (
      <input
        {...field}
        type={type as "text"}
        inputMode="decimal"
        step="any"
        autocomplete="off"
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value;
        }}
      />
    )}
  </Labelled>
);

const HeightField = ({ value }: { value: Signal<string> }) => (
  <NumberField label={text.height(shortLength().name)} value={value} type="number" />
);

/** Metres; undefined when nothing was entered. */
const metresOf = (text: string): number | undefined => {
  const number = Number.parseFloat(text);
  return Number.isFinite(number) ? Number(inMetres(number).toFixed(2)) : undefined;
};
const inShownUnit = (metres: number): string => (metres * shortLength().factor).toFixed(0);

function TakeOffSheet({ close }: { close: () => void }) {
  const { orders } = useFlown();
  const value = useSignal(entered.takeOff || inShownUnit(10));
  const metres = metresOf(value.value);
  const isPossible = metres !== undefined && metres > 0;
  return (
    <Sheet title={text.takeOff} close={close}>
      <HeightField value={value} />
      <SheetButtons
        label={isPossible ? text.holdToTakeOff(height(metres)) : text.enterHeight}
        isDisabled={!isPossible}
        close={close}
        onHeld={() => {
          entered.takeOff = value.value;
          close();
          if (isPossible) void orders.takeOff(metres);
        }}
      />
    </Sheet>
  );
}

function GoToSheet({ at, close }: { at: LatLng | undefined; close: () => void }) {
  const { state, orders } = useFlown();
  const here = at ?? state.position.peek()?.value;
  const lat = useSignal(here?.lat.toFixed(6) ?? "");
  const lng = useSignal(here?.lng.toFixed(6) ?? "");
  const value = useSignal(
    entered.goTo || inShownUnit(Math.max(5, Math.round(state.height.peek()?.value ?? 10))),
  );
  const metres = metresOf(value.value);
  const position = { lat: Number.parseFloat(lat.value), lng: Number.parseFloat(lng.value) };
  const isPossible = metres !== undefined && Math.abs(position.lat) <= 90 && Math.abs(position.lng) <= 180;
  return (
    <Sheet title={text.goTo} close={close}>
      <div class="sheet-fields">
        <NumberField label={text.latitude} value={lat} />
        <NumberField label={text.longitude} value={lng} />
        <HeightField value={value} />
      </div>
      <SheetButtons
        label={isPossible ? text.holdToGo(height(metres)) : text.enterHeight}
        isDisabled={!isPossible}
        close={close}
        onHeld={() => {
          entered.goTo = value.value;
          close();
          if (isPossible) void orders.goTo(position, metres);
        }}
      />
    </Sheet>
  );
}

const MOTORS_HOLD_MS = 3_000;

function StopMotorsSheet({ close }: { close: () => void }) {
  const { orders } = useFlown();
  return (
    <Sheet title={text.stopMotors} close={close}>
      <p>{text.stopMotorsWarning}</p>
      <div class="actions">
        <button type="button" onClick={close}>
          {strings.cancel}
        </button>
        <button
          type="button"
          onClick={() => {
            close();
            void orders.disarm();
          }}
        >
          {text.disarmIfLanded}
        </button>
        <HoldButton
          class="danger"
          holdMs={MOTORS_HOLD_MS}
          onHeld={() => {
            close();
            void orders.disarm(true);
          }}
        >
          {text.holdToStopMotors}
        </HoldButton>
      </div>
    </Sheet>
  );
}
