import type { Signal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import { reply } from "../../../../client/client";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { DroneChoice } from "../drone/drone-choice";
import { type DroneWork, refusedSequence } from "../drone/drone-work";
import { useDrones } from "../drone/drones";
import { TransferResult } from "../drone/transfer-result";
import { WorkProgress } from "../drone/work-progress";
import type { PlanEditor } from "../editor/plan-editor";
import { Comparison } from "./comparison";
import type { MissionContent } from "./row";
import type { RowMarks } from "./row-marks";

export type PushedMission = components["schemas"]["UploadedMission"];

interface MissionDronePanelProps {
  readonly missionId: number;
  readonly editor: PlanEditor<MissionContent>;
  readonly marks: RowMarks;
  readonly selected: Signal<number | undefined>;
  readonly panel: Signal<string>;
  readonly work: DroneWork;
  readonly pushed: Signal<PushedMission | undefined>;
}

const text = strings.plan.drone;

/** The mission on a drone: pushed, compared with what is on board, assigned. */
export function MissionDronePanel(props: MissionDronePanelProps) {
  const { missionId, editor, marks, selected, panel, work, pushed } = props;
  const { api } = useSession().client;
  const drones = useDrones();
  const drone = drones.data.value?.find(({ id }) => id === work.chosen.value);
  const { rows } = editor.content;
  const isSaved = editor.state.value === "saved";
  const isBusy = work.busy.value !== undefined;
  const isAssigned = drone?.mission_id === missionId;

  const clear = () => {
    marks.refuse(undefined);
    marks.compareWith(undefined);
    pushed.value = undefined;
  };
  // What reaches a vehicle is what is stored.
  const save = async () => isSaved || (await editor.save());

  const push = (force: boolean) =>
    drone &&
    work.run("push", async () => {
      clear();
      if (!(await save())) return;
      const body = { drone_id: drone.id, mission_id: missionId, force };
      const done = await work.order(text.pushTo(drone.name), () =>
        reply(api.POST("/drone/action/push_mission", { body })),
      );
      if (typeof done !== "string") {
        pushed.value = done.result;
        return;
      }
      const key = marks.keyOf(refusedSequence(done));
      if (key === undefined) return;
      marks.refuse({ key, text: done });
      selected.value = key;
    });

  const compare = () =>
    drone &&
    work.run("compare", async () => {
      clear();
      if (!(await save())) return;
      const params = { path: { drone_id: drone.id }, query: { mission_id: missionId } };
      marks.compareWith(await reply(api.GET("/drone/{drone_id}/onboard/mission", { params })));
    });

  const assign = () =>
    drone &&
    work.run("assign", async () => {
      const params = { path: { drone_id: drone.id } };
      const body = { mission_id: isAssigned ? null : missionId };
      await reply(api.PUT("/drone/{drone_id}", { params, body }));
      await drones.reload();
    });

  const rowOf = (sequence: number | null) => {
    const key = marks.keyOf(sequence);
    const at = key === undefined ? -1 : rows.findIndex((row) => row.key === key);
    return at < 0 ? text.addedTakeoff : String(at + 1);
  };
  const showRow = (key: number) => {
    selected.value = key;
    panel.value = "rows";
  };
  const { value: refused } = marks.refused;
  const refusedAt = rows.findIndex(({ key }) => key === refused?.key);

  return (
    <div class="drone-panel">
      <DroneChoice chosen={work.chosen} />
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!drone || rows.length === 0}
          aria-disabled={isBusy}
          onClick={() => push(false)}
        >
          {isSaved ? text.push : text.saveAndPush}
        </button>
        <button type="button" disabled={!drone || rows.length === 0} aria-disabled={isBusy} onClick={compare}>
          {isSaved ? text.compare : text.saveAndCompare}
        </button>
      </div>
      <WorkProgress
        work={work}
        count={rows.length}
        forceHint={text.forceMission}
        onForce={() => push(true)}
      />
      {refused && refusedAt >= 0 && (
        <button type="button" onClick={() => showRow(refused.key)}>
          {text.showRow(refusedAt + 1)}
        </button>
      )}
      {pushed.value?.takeoff_added && <p>{text.takeoffAdded}</p>}
      {pushed.value && <TransferResult {...pushed.value} rowOf={rowOf} />}
      <Comparison marks={marks} rowOf={rowOf} onShow={showRow} />
      {drone && (
        <div class="assignment">
          <h3>{text.assignment}</h3>
          <p>{isAssigned ? text.isAssigned(drone.name) : text.notAssigned(drone.name)}</p>
          <button type="button" aria-disabled={isBusy} onClick={assign}>
            {isAssigned ? text.unassign : text.assign}
          </button>
        </div>
      )}
    </div>
  );
}
