import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../client/client";
import { useAction } from "../../parts/action";
import { Failure } from "../../parts/loaded";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone } from "./fleet-model";

const text = strings.fleet.first;

interface FirstDroneProps {
  readonly added: (drone: Drone) => Promise<void>;
  readonly addOwn: () => void;
}

/** For a user without a drone: one press to fly. */
export function FirstDrone({ added, addOwn }: FirstDroneProps) {
  const { api } = useSession().client;
  const { route } = useLocation();
  const { isBusy, failure, run } = useAction();
  const drone = useSignal<Drone | undefined>(undefined);
  const flyNow = () =>
    run(async () => {
      const body = { type: "sitl", name: text.name, vehicle_type: "copter" } as const;
      // A second press, after the drone did not answer, dials the same one.
      drone.value ??= await reply(api.POST("/drone", { body }));
      const { id } = drone.value;
      await reply(api.GET("/drone/action/connection", { params: { query: { id } } }));
      route(pathTo(paths.fly, id));
    });
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
        {drone.value && failure.value !== "" && (
          <button type="button" onClick={() => drone.value && added(drone.value)}>
            {text.show}
          </button>
        )}
      </div>
    </div>
  );
}
