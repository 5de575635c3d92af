import type { Signal } from "@preact/signals";
import { DeleteDrone } from "./delete-drone";
import { DroneSettings } from "./drone-settings";
import { DroneVpn } from "./drone-vpn";
import type { FleetModel } from "./fleet-model";
import { SetUpDrone } from "./set-up-drone";

/** Of the selected drone. */
export type DialogName = "settings" | "setUp" | "vpn" | "delete";

interface DialogsProps {
  readonly fleet: FleetModel;
  readonly dialog: Signal<DialogName | undefined>;
  readonly reload: () => Promise<void>;
}

export function Dialogs({ fleet, dialog, reload }: DialogsProps) {
  const drone = fleet.selected.value;
  const onClose = () => {
    dialog.value = undefined;
  };
  if (!drone) return null;
  switch (dialog.value) {
    case "settings":
      return (
        <DroneSettings
          drone={drone}
          saved={reload}
          remove={() => {
            dialog.value = "delete";
          }}
          onClose={onClose}
        />
      );
    case "setUp":
      return <SetUpDrone fleet={fleet} drone={drone} onClose={onClose} />;
    case "vpn":
      return <DroneVpn drone={drone} onClose={onClose} />;
    case "delete":
      return <DeleteDrone fleet={fleet} drone={drone} deleted={reload} onClose={onClose} />;
    default:
      return null;
  }
}
