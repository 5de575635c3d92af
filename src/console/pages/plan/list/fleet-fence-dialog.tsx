import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Dialog } from "../../../parts/dialog";
import { strings } from "../../../strings";
import { DroneChoice } from "../drone/drone-choice";
import { DroneWork } from "../drone/drone-work";
import { type Drone, DronesContext } from "../drone/drones";
import { FenceOrders, FenceReport, type UploadedFence } from "../drone/fence-orders";
import { WorkProgress } from "../drone/work-progress";

const text = strings.plan.fence.orders;

interface FleetFenceDialogProps {
  readonly drones: readonly Drone[];
  readonly onClose: () => void;
}

/** All enabled geofences on a drone, or none. */
export function FleetFenceDialog({ drones, onClose }: FleetFenceDialogProps) {
  const work = useMemo(() => new DroneWork(), []);
  const uploaded = useSignal<UploadedFence | undefined>(undefined);
  const again = useSignal<(() => void) | undefined>(undefined);
  const data = useSignal<readonly Drone[] | undefined>(drones);
  const failure = useSignal("");
  const drone = drones.find(({ id }) => id === work.chosen.value);
  return (
    <DronesContext.Provider value={{ data, failure, reload: async () => undefined }}>
      <Dialog title={text.title} onClose={onClose}>
        <div class="drone-panel">
          <DroneChoice chosen={work.chosen} />
          {drone && (
            <FenceOrders
              drone={drone}
              work={work}
              onUploaded={(result) => {
                uploaded.value = result;
              }}
              onForceable={(order) => {
                uploaded.value = undefined;
                again.value = order;
              }}
            />
          )}
          <WorkProgress
            work={work}
            count={0}
            forceHint={strings.plan.drone.forceFence}
            onForce={() => again.value?.()}
          />
          {uploaded.value && <FenceReport uploaded={uploaded.value} />}
        </div>
      </Dialog>
    </DronesContext.Provider>
  );
}
