import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { reply } from "../../../client/client";
import { useFleet, useLive } from "../../live/context";
import { Heading } from "../../parts/heading";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { isNarrow } from "../../parts/media";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { AddDrone } from "./add-drone";
import { type DialogName, Dialogs } from "./dialogs";
import { DroneList } from "./drone-list";
import { DronePanel } from "./drone-panel";
import { Filters } from "./filters";
import { FirstDrone } from "./first-drone";
import { type Drone, FleetModel } from "./fleet-model";
import { KeptLinks, MOST_LINKS } from "./kept-links";
import { keepInAddress } from "./shown-in-address";
import "./fleet.css";

const text = strings.fleet;

const loadMap = () => import("./fleet-map");

/**
 * Drones of a fleet that is dialled as a whole when the page opens. Of a larger one the page dials what the user asks for
 * and what they have just added: telemetry is mobile data of the drones, and a simulated vehicle has one client at a time.
 */
const SMALL_FLEET = 8;

/** What a narrow window shows. */
type View = "list" | "map";

interface PartsProps {
  readonly fleet: FleetModel;
  readonly view: ReadonlySignal<View>;
  readonly open: (dialog: DialogName) => void;
}

/** The user's drones. */
export default function Fleet() {
  const { client } = useSession();
  const live = useLive();
  useFleet();
  const fleet = useMemo(() => new FleetModel(live.fleet, new KeptLinks(live, client)), [live, client]);
  const drones = useLoaded(() => reply(client.api.GET("/drones")));
  const view = useSignal<View>("list");
  const isAdding = useSignal(false);
  useEffect(() => fleet.start(), [fleet]);
  useEffect(() => keepInAddress(fleet), [fleet]);
  useEffect(() => {
    const look = () => (document.hidden ? fleet.links.pause() : fleet.links.resume());
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      fleet.links.end();
    };
  }, [fleet]);
  useSignalEffect(() => {
    const found = drones.data.value;
    if (!found) return;
    fleet.drones.value = found;
    if (found.length > SMALL_FLEET) return;
    for (const { id } of found) if (!fleet.links.attemptOf(id).peek()) fleet.links.keep(id);
  });
  useSignalEffect(() => {
    if (fleet.isOutdated.value) void drones.reload();
  });
  const isBeginning = useSignal(false);
  const dialog = useSignal<DialogName | undefined>(undefined);
  const added = async ({ id, activation_token }: Drone) => {
    await drones.reload();
    fleet.select(id);
    fleet.links.keep(id);
    if (!activation_token) return;
    fleet.activationTokens.set(id, activation_token);
    dialog.value = "setUp";
  };
  const open = (name: DialogName) => {
    dialog.value = name;
  };
  return (
    <section class="fleet">
      <header class="fleet-top">
        <Heading>{text.title}</Heading>
        {isNarrow.value && fleet.drones.value.length > 0 && <Views view={view} />}
        <ConnectShown fleet={fleet} />
        <button
          type="button"
          class="primary"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {text.add}
        </button>
      </header>
      <ShowLoaded of={drones}>
        {(found) =>
          found.length === 0 || isBeginning.value ? (
            <FirstDrone isBusy={isBeginning} added={added} addOwn={() => (isAdding.value = true)} />
          ) : (
            <Parts fleet={fleet} view={view} open={open} />
          )
        }
      </ShowLoaded>
      <Dialogs fleet={fleet} dialog={dialog} reload={drones.reload} />
      {isAdding.value && <AddDrone added={added} onClose={() => (isAdding.value = false)} />}
    </section>
  );
}

/** Dials the drones that are shown and have no link. */
function ConnectShown({ fleet }: { fleet: FleetModel }) {
  const count = Math.min(fleet.unlinkedCount.value, MOST_LINKS);
  if (count === 0) return null;
  return (
    <button
      type="button"
      title={text.connectSome(count)}
      aria-label={text.connectSome(count)}
      onClick={() => {
        for (const { id } of fleet.unlinked().slice(0, MOST_LINKS)) fleet.links.keep(id);
      }}
    >
      {text.connect} {count}
    </button>
  );
}

/** List, map and the selected drone. On a narrow window the list is first, and the map is loaded when it is asked for. */
function Parts({ fleet, view, open }: PartsProps) {
  const has = (part: View) => !isNarrow.value || view.value === part;
  return (
    <div class="fleet-parts" data-view={view.value}>
      {has("list") && (
        <div class="fleet-side">
          <Filters fleet={fleet} />
          <DroneList fleet={fleet} />
        </div>
      )}
      {has("map") && <LaterMap fleet={fleet} />}
      <DronePanel fleet={fleet} open={open} />
    </div>
  );
}

const Views = ({ view }: { view: Signal<View> }) => (
  <fieldset class="fleet-views">
    <legend class="visually-hidden">{text.views.label}</legend>
    {(["list", "map"] as const).map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={view.value === one}
        onClick={() => {
          view.value = one;
        }}
      >
        {text.views[one]}
      </button>
    ))}
  </fieldset>
);

/** The map, with MapLibre. */
function LaterMap({ fleet }: { fleet: FleetModel }) {
  const part = useLoaded(loadMap);
  return (
    <div class="fleet-map">
      <ShowLoaded of={part}>{({ FleetMap }) => <FleetMap fleet={fleet} />}</ShowLoaded>
    </div>
  );
}
