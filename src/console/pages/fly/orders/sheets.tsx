import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { distance, height, inMetres, shortLength } from "../../../format/units";
import { type LatLng, metresBetween } from "../../../map/features";
import { HoldButton } from "../../../parts/hold-button";
import { Labelled } from "../../../parts/labelled";
import { readNumber } from "../../../parts/number";
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

interface FieldProps {
  readonly label: string;
  readonly text: string;
  readonly onInput: (text: string) => void;
}

const NumberField = ({ label, text, onInput }: FieldProps) => (
  <Labelled label={label}>
    {(field) => (
      <input
        {...field}
        inputMode="decimal"
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    )}
  </Labelled>
);

/** Metres above home; undefined while the text is no number. */
type Metres = Signal<number | undefined>;

/** Entered in the unit that is shown. Another unit changes the text, and not the height. */
function HeightField({ metres }: { metres: Metres }) {
  const entered = useSignal("");
  useSignalEffect(() => {
    const { factor } = shortLength();
    const height = metres.peek();
    if (height !== undefined) entered.value = (height * factor).toFixed(0);
  });
  return (
    <NumberField
      label={text.height(shortLength().name)}
      text={entered.value}
      onInput={(typed) => {
        const number = readNumber(typed);
        entered.value = typed;
        metres.value = number === undefined ? undefined : Number(inMetres(number).toFixed(2));
      }}
    />
  );
}

function TakeOffSheet({ close }: { close: () => void }) {
  const { orders } = useFlown();
  const metres: Metres = useSignal(10);
  const above = metres.value;
  const isPossible = above !== undefined && above > 0;
  const why = orders.whyNotTakeOff.value;
  return (
    <Sheet title={text.takeOff} close={close}>
      <HeightField metres={metres} />
      <SheetButtons
        label={why || (isPossible ? text.holdToTakeOff(height(above)) : text.enterHeight)}
        isDisabled={why !== "" || !isPossible}
        close={close}
        onHeld={() => {
          close();
          if (isPossible) void orders.takeOff(above);
        }}
      />
    </Sheet>
  );
}

function GoToSheet({ at, close }: { at: LatLng | undefined; close: () => void }) {
  const { state, orders } = useFlown();
  const here = state.position.value?.value;
  const begun = at ?? state.position.peek()?.value;
  const lat = useSignal(begun?.lat.toFixed(6) ?? "");
  const lng = useSignal(begun?.lng.toFixed(6) ?? "");
  const metres: Metres = useSignal(Math.max(5, Math.round(state.height.peek()?.value ?? 10)));
  const position = readPosition(lat.value, lng.value);
  const above = metres.value;
  const why = orders.whyNotGo.value;
  const label = () => {
    if (!position || above === undefined) return text.enterHeight;
    return text.holdToGo(height(above), here && distance(metresBetween(here, position)));
  };
  return (
    <Sheet title={text.goTo} close={close}>
      <div class="sheet-fields">
        <NumberField label={text.latitude} text={lat.value} onInput={(typed) => (lat.value = typed)} />
        <NumberField label={text.longitude} text={lng.value} onInput={(typed) => (lng.value = typed)} />
        <HeightField metres={metres} />
      </div>
      <SheetButtons
        label={why || label()}
        isDisabled={why !== "" || !position || above === undefined}
        close={close}
        onHeld={() => {
          close();
          if (position && above !== undefined) void orders.goTo(position, above);
        }}
      />
    </Sheet>
  );
}

function readPosition(latitude: string, longitude: string): LatLng | undefined {
  const [lat, lng] = [readNumber(latitude), readNumber(longitude)];
  if (lat === undefined || lng === undefined) return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
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
