import { type Signal, useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../client/client";
import { errorText } from "../../parts/error-text";
import { Failure } from "../../parts/loaded";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone } from "./fleet-model";

const text = strings.fleet.first;

interface FirstDroneProps {
  /** Whether it is being added and dialled: the page shows nothing else meanwhile. */
  readonly isBusy: Signal<boolean>;
  /** It was added and did not answer. */
  readonly added: (drone: Drone) => Promise<void>;
  readonly addOwn: () => void;
}

/** For a user without a drone: one press to fly. */
export function FirstDrone({ isBusy, added, addOwn }: FirstDroneProps) {
  const { api } = useSession().client;
  const { route } = useLocation();
  const failure = useSignal("");
  const flyNow = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = "";
    try {
      const body = { type: "sitl", name: text.name, vehicle_type: "copter" } as const;
      const drone = await reply(api.POST("/drone", { body }));
      const query = { id: drone.id };
      const hasAnswered = await reply(api.GET("/drone/action/connection", { params: { query } })).then(
        () => true,
        () => false,
      );
      if (hasAnswered) route(pathTo(paths.fly, drone.id));
      // The list says why, and dials it again.
      else await added(drone);
    } catch (error) {
      failure.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <div class="first-drone">
      <h2>{strings.fleet.none}</h2>
      <p>{text.intro}</p>
      <Failure text={failure.value} />
      <div class="actions">
        <button type="button" class="primary" aria-disabled={isBusy.value} onClick={flyNow}>
          {isBusy.value ? text.busy : text.simulated}
        </button>
        <button type="button" onClick={addOwn}>
          {text.own}
        </button>
      </div>
    </div>
  );
}
