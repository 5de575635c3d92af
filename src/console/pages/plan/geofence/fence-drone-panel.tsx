import { type Signal, useSignal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import { reply } from "../../../../client/client";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { DroneChoice } from "../drone/drone-choice";
import { type DroneWork, refusedSequence } from "../drone/drone-work";
import { useDrones } from "../drone/drones";
import { FenceOrders, FenceReport, type UploadedFence } from "../drone/fence-orders";
import { fieldInWords, numberInWords } from "../drone/transfer-result";
import { WorkProgress } from "../drone/work-progress";
import type { PlanEditor } from "../editor/plan-editor";
import type { FenceContent } from "./fence";
import { fenceFaults } from "./fence-figures";

export type FenceOnBoard = components["schemas"]["FenceOnBoard"];

interface FenceDronePanelProps {
  readonly geofenceId: number;
  readonly editor: PlanEditor<FenceContent>;
  readonly selected: Signal<number | undefined>;
  readonly panel: Signal<string>;
  readonly work: DroneWork;
  readonly uploaded: Signal<UploadedFence | undefined>;
  readonly onBoard: Signal<FenceOnBoard | undefined>;
}

const text = strings.plan.drone;
const words = strings.plan.fence;

/** The geofence on a drone: pushed, compared with what is on board; all enabled ones, or none. */
export function FenceDronePanel(props: FenceDronePanelProps) {
  const { geofenceId, editor, selected, panel, work, uploaded, onBoard } = props;
  const { api } = useSession().client;
  const drones = useDrones();
  const drone = drones.data.value?.find(({ id }) => id === work.chosen.value);
  const isSaved = editor.state.value === "saved";
  const isBusy = work.busy.value !== undefined;
  const isFaulty = fenceFaults(editor.content).some(({ isError }) => isError);
  const forced = useSignal<(() => void) | undefined>(undefined);

  const clear = () => {
    uploaded.value = undefined;
    onBoard.value = undefined;
  };
  // What reaches a vehicle is what is stored.
  const save = async () => isSaved || (await editor.save());

  const push = (force: boolean) =>
    drone &&
    work.run("push", async () => {
      clear();
      forced.value = () => push(true);
      if (!(await save())) return;
      const body = { drone_id: drone.id, geofence_id: geofenceId, force };
      const done = await work.order(text.pushTo(drone.name), () =>
        reply(api.POST("/drone/action/push_geofence", { body })),
      );
      if (typeof done !== "string") uploaded.value = done.result;
      else select(refusedSequence(done));
    });
  const compare = () =>
    drone &&
    work.run("compare", async () => {
      clear();
      if (!(await save())) return;
      const params = { path: { drone_id: drone.id }, query: { geofence_id: geofenceId } };
      onBoard.value = await reply(api.GET("/drone/{drone_id}/onboard/fence", { params }));
    });

  const keyOf = (sequence: number | null) => {
    const { sequences, content } = editor.stored.peek();
    return sequence === null ? undefined : content.rows[sequences.indexOf(sequence)]?.key;
  };
  const select = (sequence: number | null) => {
    const key = keyOf(sequence);
    if (key !== undefined) selected.value = key;
  };
  const placeOf = (sequence: number | null) =>
    editor.content.rows.findIndex(({ key }) => key === keyOf(sequence)) + 1;

  return (
    <div class="drone-panel">
      <DroneChoice chosen={work.chosen} />
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={!drone || isFaulty}
          aria-disabled={isBusy}
          onClick={() => push(false)}
        >
          {isSaved ? text.push : text.saveAndPush}
        </button>
        <button type="button" disabled={!drone || isFaulty} aria-disabled={isBusy} onClick={compare}>
          {isSaved ? text.compare : text.saveAndCompare}
        </button>
      </div>
      <p class="hint">{words.pushHint}</p>
      <WorkProgress
        work={work}
        count={editor.content.rows.length}
        forceHint={text.forceFence}
        onForce={() => forced.value?.()}
      />
      {uploaded.value && <FenceReport uploaded={uploaded.value} />}
      {onBoard.value && (
        <div class="comparison">
          <h3>{strings.plan.comparison.title}</h3>
          <p role="status" class={onBoard.value.same || onBoard.value.included ? "notice" : "caution"}>
            {comparisonInWords(onBoard.value)}
          </p>
          <ul class="row-differences">
            {onBoard.value.differences?.map(({ sequence, field, stored, on_board }) => (
              <li key={`${sequence} ${field}`}>
                <button
                  type="button"
                  onClick={() => {
                    select(sequence);
                    panel.value = "rows";
                  }}
                >
                  {words.selected(editor.content.type, placeOf(sequence))}
                </button>
                <p>
                  {fieldInWords(field)}{" "}
                  {strings.plan.comparison.values(numberInWords(stored), numberInWords(on_board))}
                </p>
              </li>
            ))}
            {onBoard.value.missing?.map((sequence) => (
              <li key={`missing ${sequence}`}>
                <strong>{words.selected(editor.content.type, placeOf(sequence))}</strong>
                <p>{strings.plan.comparison.missing}</p>
              </li>
            ))}
          </ul>
        </div>
      )}
      {drone && (
        <FenceOrders
          drone={drone}
          work={work}
          onUploaded={(result) => {
            clear();
            uploaded.value = result;
          }}
          onForceable={(again) => {
            forced.value = again;
          }}
        />
      )}
    </div>
  );
}

function comparisonInWords({ same, included, areas, extra = [], is_mixture }: FenceOnBoard): string {
  const { onBoard } = words;
  if (is_mixture) return onBoard.mixture;
  if (same) return onBoard.same;
  if (included) return onBoard.included(extra.length);
  return areas.length === 0 ? onBoard.none : onBoard.different(areas.length);
}
