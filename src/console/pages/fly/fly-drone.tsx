import { effect, type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { useFleet, useTelemetry } from "../../live/context";
import type { LatLng } from "../../map/features";
import { OrderList } from "../../orders/order-list";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Choice } from "./choice";
import { type Flown, FlownContext } from "./context";
import { Instruments } from "./instruments/instruments";
import { Messages } from "./instruments/messages";
import { OnBoard } from "./map/on-board";
import { MissionPanel } from "./orders/mission-panel";
import { OrderPanel } from "./orders/order-panel";
import { type SheetOf, Sheets } from "./orders/sheets";
import { VehicleOrders } from "./orders/vehicle-orders";
import { ParamEdits } from "./params/param-edits";
import { ParamsPanel } from "./params/params-panel";
import { StatusStrip } from "./status-strip";
import { StickControl } from "./sticks/stick-control";
import { SticksPanel } from "./sticks/sticks-panel";
import { TouchSticks } from "./sticks/touch";
import { useReleases } from "./sticks/use-releases";
import { VehicleState } from "./vehicle-state";
import "./fly.css";

const FlyMap = lazy(() => import("./map/fly-map"));
const loadVideo = () => import("../../video/video");

const text = strings.fly;

/** Everything about one drone on one screen: orders at the left, where it is in the middle, what it measures at the right. */
export function FlyDrone({ drone }: { drone: Flown["drone"] }) {
  const session = useSession();
  const { flown, sticks, edits } = useMemo(() => {
    const state = new VehicleState();
    const orders = new VehicleOrders(session.client, drone, state);
    const onBoard = new OnBoard(session.client, drone, state);
    return {
      flown: { drone, state, orders, onBoard },
      sticks: new StickControl(session, drone.id),
      edits: new ParamEdits(),
    };
  }, []);
  const { state, orders, onBoard } = flown;
  useTelemetry(drone.id, "dashboard", (frame) => state.receive(frame));
  useReleases(sticks.link, state);
  const fleet = useFleet();
  useEffect(() => {
    const ends = [
      effect(() => state.learn(fleet.value?.get(drone.id))),
      orders.follow(),
      onBoard.follow(),
      () => state.end(),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const sheet = useSignal<SheetOf | undefined>(undefined);
  const open = (opened: SheetOf) => {
    sheet.value = opened;
  };
  const isTouched = sticks.kind.value === "touch" && sticks.link.state.value !== "off";
  return (
    <FlownContext.Provider value={flown}>
      <section class="fly">
        <StatusStrip sticks={sticks.link} />
        <OrderPanel open={open} />
        <Centre droneId={drone.id} sheet={sheet} edits={edits} isTouched={isTouched} />
        <div class="given">
          <h2>{text.orders.given}</h2>
          <OrderList log={orders.log} count={6} />
        </div>
        <section class="side" aria-label={text.instruments.title}>
          <Instruments />
          <SidePanels sticks={sticks} />
        </section>
      </section>
    </FlownContext.Provider>
  );
}

interface CentreProps {
  readonly droneId: number;
  readonly sheet: Signal<SheetOf | undefined>;
  readonly edits: ParamEdits;
  readonly isTouched: boolean;
}

type View = "map" | "both" | "video" | "params";

/** The map, and what is looked at beside or instead of it. The map stays while something else is shown. */
function Centre({ droneId, sheet, edits, isTouched }: CentreProps) {
  const view = useSignal<View>("map");
  const target: LatLng | undefined = sheet.value?.kind === "go-to" ? sheet.value.position : undefined;
  return (
    <div class="centre">
      <Choice
        label={text.views.title}
        chosen={view}
        of={[
          ["map", text.views.map],
          ["both", text.views.both],
          ["video", text.views.video],
          ["params", text.views.params],
        ]}
      />
      <div class={`view ${view.value}`}>
        <div class="view-map" hidden={view.value !== "map" && view.value !== "both"}>
          <FlyMap
            target={target}
            onPress={(position) => {
              sheet.value = { kind: "go-to", position };
            }}
          />
        </div>
        {(view.value === "video" || view.value === "both") && <LaterVideo droneId={droneId} />}
        {view.value === "params" && <ParamsPanel edits={edits} />}
        {isTouched && <TouchSticks />}
        <Sheets sheet={sheet} />
      </div>
    </div>
  );
}

/** Its code is loaded when it is opened. */
function LaterVideo({ droneId }: { droneId: number }) {
  const part = useLoaded(loadVideo);
  return <ShowLoaded of={part}>{({ Video }) => <Video droneId={droneId} />}</ShowLoaded>;
}

type Panel = "messages" | "mission" | "sticks";

function SidePanels({ sticks }: { sticks: StickControl }) {
  const panel = useSignal<Panel>("messages");
  return (
    <div class="side-panels">
      <Choice
        label={text.panels.title}
        chosen={panel}
        of={[
          ["messages", text.panels.messages],
          ["mission", text.panels.mission],
          ["sticks", sticks.link.state.value === "off" ? text.panels.sticks : text.panels.sticksOn],
        ]}
      />
      <div class="side-panel">
        {panel.value === "messages" && <Messages />}
        {panel.value === "mission" && <MissionPanel />}
        {panel.value === "sticks" && <SticksPanel control={sticks} />}
      </div>
    </div>
  );
}
