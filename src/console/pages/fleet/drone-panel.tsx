import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { reply } from "../../../client/client";
import { duration } from "../../format/time";
import { coordinates, degrees, height, NO_VALUE, voltage } from "../../format/units";
import { CloseButton } from "../../parts/dialog";
import { LiveText } from "../../parts/live-text";
import { useLoaded } from "../../parts/loaded";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { DialogName } from "./dialogs";
import { hasLink } from "./drone-status";
import { batteryText, missionText, statusText } from "./drone-texts";
import type { Drone, FleetModel } from "./fleet-model";
import { StatusMark } from "./status-mark";
import { useTunnel } from "./use-tunnel";

const text = strings.fleet;

interface DronePanelProps {
  readonly fleet: FleetModel;
  readonly open: (dialog: DialogName) => void;
}

/** The selected drone, and what can be done with it. Its buttons keep their places, whatever is selected. */
export function DronePanel({ fleet, open }: DronePanelProps) {
  const drone = fleet.selected.value;
  return (
    <section class="drone-panel" aria-label={drone?.name ?? text.selectOne} data-empty={!drone}>
      {drone ? (
        <Selected key={drone.id} fleet={fleet} drone={drone} open={open} />
      ) : (
        <p class="quiet-text">{text.selectOne}</p>
      )}
    </section>
  );
}

function Selected({ fleet, drone, open }: DronePanelProps & { drone: Drone }) {
  const { id, name, type, vehicle_type } = drone;
  const attempt = fleet.links.attemptOf(id).value;
  const isLinked = useComputed(() => hasLink(fleet.statusOf(id))).value;
  return (
    <>
      <header>
        <StatusMark fleet={fleet} id={id} />
        <h2>{name}</h2>
        <span class="drone-state">
          <LiveText of={() => statusText(fleet.statusOf(id), fleet.links.attemptOf(id).value)} />
        </span>
        <span class="quiet-text">
          {text.kinds[type]} {text.vehicles[vehicle_type]}
        </span>
        <CloseButton label={text.unselect} onClick={() => fleet.select(undefined)} />
      </header>
      <Values fleet={fleet} drone={drone} />
      <p class="failure" role="status" hidden={attempt?.state !== "refused" || isLinked}>
        {attempt?.state === "refused" && attempt.reason}
      </p>
      <div class="actions">
        <a class="button primary" href={pathTo(paths.fly, id)}>
          {text.fly}
        </a>
        <button
          type="button"
          disabled={isLinked || attempt?.state === "connecting"}
          onClick={() => fleet.links.keep(id)}
        >
          {text.connect}
        </button>
        <button type="button" onClick={() => open("settings")}>
          {text.settings}
        </button>
        {/* Last: nothing moves when one of another kind is selected. */}
        {type === "physical" && (
          <>
            <button type="button" onClick={() => open("setUp")}>
              {text.setUp}
            </button>
            <button type="button" onClick={() => open("vpn")}>
              {text.vpn}
            </button>
          </>
        )}
      </div>
    </>
  );
}

function Values({ fleet, drone }: { fleet: FleetModel; drone: Drone }) {
  const { id, type, mission_id } = drone;
  const snapshot = fleet.snapshotOf(id);
  const state = () => snapshot.value?.state;
  const looks = useComputed(() => `values${fleet.statusOf(id).link === "online" ? "" : " old"}`);
  return (
    <dl class={looks}>
      <Value name={text.values.mode} isInList>
        <LiveText of={() => state()?.mode ?? NO_VALUE} />
      </Value>
      <Value name={text.values.battery} isInList>
        <LiveText of={() => batteryText(state()?.battery)} />
        <span class="quiet-text">
          <LiveText
            of={() => (state()?.battery?.remaining == null ? "" : ` ${voltage(state()?.battery?.voltage)}`)}
          />
        </span>
      </Value>
      <Value name={text.values.height} isInList>
        <LiveText of={() => height(state()?.position?.relative_altitude)} />
      </Value>
      <Value name={text.values.heading} isInList>
        <LiveText of={() => degrees(state()?.position?.heading)} />
      </Value>
      <Value name={text.values.mission}>
        <LiveText of={() => missionText(state()?.mission)} />
      </Value>
      <Value name={text.values.assigned} isFixed>
        {mission_id === null ? text.values.noMission : <MissionName id={mission_id} />}
      </Value>
      <Value name={text.values.heard} isFixed>
        <LiveText
          of={() =>
            snapshot.value?.state.link ? text.values.ago(duration(fleet.statusOf(id).age)) : NO_VALUE
          }
        />
      </Value>
      {type === "physical" && (
        <Value name={text.values.computer} isFixed>
          <Computer fleet={fleet} id={id} />
        </Value>
      )}
      <Value name={text.values.position} isWide>
        <LiveText of={() => positionText(state()?.position)} />
      </Value>
    </dl>
  );
}

const positionText = (position: { latitude: number; longitude: number } | null | undefined): string =>
  position ? coordinates(position.latitude, position.longitude) : NO_VALUE;

interface ValueProps {
  readonly name: string;
  readonly isWide?: boolean;
  /** A narrow window beside the list has no room for it. */
  readonly isInList?: boolean;
  /** Not what the vehicle said: it does not grow old. */
  readonly isFixed?: boolean;
  readonly children: ComponentChildren;
}

const Value = ({ name, isWide = false, isInList = false, isFixed = false, children }: ValueProps) => (
  <div class={`${isWide ? "wide-value" : ""} ${isInList ? "in-list" : ""}`}>
    <dt>{name}</dt>
    <dd class={isFixed ? undefined : "live"}>{children}</dd>
  </div>
);

function MissionName({ id }: { id: number }) {
  const { api } = useSession().client;
  const { data } = useLoaded(
    () => reply(api.GET("/mission/{mission_id}", { params: { path: { mission_id: id } } })),
    [api, id],
  );
  return <a href={pathTo(paths.mission, id)}>{data.value?.name ?? NO_VALUE}</a>;
}

/** Its tunnel tells whether the drone's computer is on, without a link to its autopilot. */
function Computer({ fleet, id }: { fleet: FleetModel; id: number }) {
  const tunnel = useTunnel(id, 10_000);
  // The link goes through the tunnel.
  const isUp = useComputed(() => hasLink(fleet.statusOf(id)) || tunnel.value).value;
  if (isUp === undefined) return <>{NO_VALUE}</>;
  return <>{isUp ? text.values.computerUp : text.values.computerDown}</>;
}
