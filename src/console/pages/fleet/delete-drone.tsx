import { reply } from "../../../client/client";
import { Confirm } from "../../parts/confirm";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone, FleetModel } from "./fleet-model";

const text = strings.fleet.deleteDialog;

interface DeleteDroneProps {
  readonly fleet: FleetModel;
  readonly drone: Drone;
  readonly deleted: () => Promise<void>;
  readonly onClose: () => void;
}

export function DeleteDrone({ fleet, drone: { id, name }, deleted, onClose }: DeleteDroneProps) {
  const { api } = useSession().client;
  const isArmed = fleet.snapshotOf(id).value?.state.armed === true;
  return (
    <Confirm
      title={text.title(name)}
      label={text.label}
      busyLabel={text.busy}
      confirm={async () => {
        await reply(api.DELETE("/drone/{drone_id}", { params: { path: { drone_id: id } } }));
        fleet.links.forget(id);
        onClose();
        fleet.select(undefined);
        await deleted();
      }}
      onClose={onClose}
    >
      {isArmed ? `${text.armed} ${text.text}` : text.text}
    </Confirm>
  );
}
