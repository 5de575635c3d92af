import { useSignal } from "@preact/signals";
import { ApiError } from "../../../client/api-error";
import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { Dialog } from "../../parts/dialog";
import { Form, type Values } from "../../parts/form";
import { Labelled } from "../../parts/labelled";
import { paths } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone } from "./fleet-model";

type NewDrone = components["schemas"]["NewDroneRequest"];

const text = strings.fleet.addDialog;
const kinds = ["sitl", "physical"] as const;
const vehicles = ["copter", "rover"] as const;

interface AddDroneProps {
  /** The drone with its activation token, where it has one. */
  readonly added: (drone: Drone) => Promise<void>;
  readonly onClose: () => void;
}

export function AddDrone({ added, onClose }: AddDroneProps) {
  const { api } = useSession().client;
  const kind = useSignal<(typeof kinds)[number]>("sitl");
  /** The subscription does not cover it. */
  const isBeyondLimit = useSignal(false);
  const submit = async ({ name = "", vehicle_type }: Values) => {
    isBeyondLimit.value = false;
    const body = { type: kind.value, name, vehicle_type } as NewDrone;
    const drone = await reply(api.POST("/drone", { body })).catch((error: unknown) => {
      isBeyondLimit.value = error instanceof ApiError && error.status === 402;
      throw error;
    });
    await added(drone);
    onClose();
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Form submit={submit} label={text.submit} busyLabel={text.busy}>
        <fieldset class="choices">
          <legend>{text.kind}</legend>
          {kinds.map((one) => (
            <label key={one} class="choice">
              <input
                type="radio"
                name="type"
                value={one}
                checked={kind.value === one}
                onChange={() => {
                  kind.value = one;
                }}
              />
              {text.kinds[one]}
            </label>
          ))}
        </fieldset>
        <Labelled label={strings.fleet.settingsDialog.name}>
          {(field) => <input {...field} name="name" required maxLength={200} autocomplete="off" />}
        </Labelled>
        <Labelled label={text.vehicle}>
          {(field) => (
            <select {...field} name="vehicle_type">
              {vehicles.map((one) => (
                <option key={one} value={one}>
                  {strings.fleet.vehicles[one]}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        {isBeyondLimit.value && <a href={paths.account}>{text.limit}</a>}
      </Form>
    </Dialog>
  );
}
