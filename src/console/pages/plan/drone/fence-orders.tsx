import { useSignal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import { reply } from "../../../../client/client";
import { Confirm } from "../../../parts/confirm";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import type { DroneWork } from "./drone-work";
import type { Drone } from "./drones";

export type UploadedFence = components["schemas"]["UploadedFence"];

const text = strings.plan.fence.orders;

interface FenceOrdersProps {
  readonly drone: Drone;
  readonly work: DroneWork;
  readonly onUploaded: (result: UploadedFence) => void;
  /** The order was given that a force would give again. */
  readonly onForceable: (again: () => void) => void;
}

/** Orders for the whole fence of a drone: all enabled geofences, or none. */
export function FenceOrders({ drone, work, onUploaded, onForceable }: FenceOrdersProps) {
  const { api } = useSession().client;
  const isAsking = useSignal(false);
  const isBusy = work.busy.value !== undefined;

  const sync = (force: boolean) =>
    work.run("sync", async () => {
      onForceable(() => sync(true));
      const body = { drone_id: drone.id, force };
      const done = await work.order(text.syncOf(drone.name), () =>
        reply(api.POST("/drone/action/sync_geofences", { body })),
      );
      if (typeof done !== "string") onUploaded(done.result);
    });
  const clear = () =>
    work.run("clear", async () => {
      const body = { drone_id: drone.id };
      const done = await work.order(text.clearOf(drone.name), () =>
        reply(api.POST("/drone/action/clear_fence", { body })),
      );
      if (typeof done !== "string") onUploaded(done.result);
    });

  return (
    <div class="assignment">
      <h3>{text.title}</h3>
      <p class="hint">{text.hint}</p>
      <div class="actions spread">
        <button type="button" aria-disabled={isBusy} onClick={() => sync(false)}>
          {text.sync}
        </button>
        <button
          type="button"
          class="delete"
          aria-disabled={isBusy}
          onClick={() => {
            isAsking.value = !isBusy;
          }}
        >
          {text.clear}
        </button>
      </div>
      {isAsking.value && (
        <Confirm
          title={text.clearTitle(drone.name)}
          label={text.clear}
          busyLabel={text.clear}
          confirm={async () => {
            isAsking.value = false;
            void clear();
          }}
          onClose={() => {
            isAsking.value = false;
          }}
        >
          {text.clearText}
        </Confirm>
      )}
    </div>
  );
}

/** What the vehicle holds after an order for its fence. */
export function FenceReport({ uploaded }: { uploaded: UploadedFence }) {
  const { enforcement, warnings } = uploaded;
  return (
    <>
      <p class={enforcement.active ? "notice" : "caution"}>
        {enforcement.active ? text.active : text.inactive}
      </p>
      {enforcement.params.length > 0 && (
        <p class="hint">
          {enforcement.params.map(({ param_id, value }) => `${param_id} = ${value}`).join(", ")}
        </p>
      )}
      {warnings.length > 0 && (
        <>
          <h3>{strings.plan.drone.warnings}</h3>
          <ul class="caution">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
