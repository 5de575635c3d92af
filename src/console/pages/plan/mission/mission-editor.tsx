import { useComputed, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../../client/client";
import { localTime } from "../../../format/time";
import type { LatLng } from "../../../map/features";
import { kept } from "../../../parts/kept";
import { useLoaded } from "../../../parts/loaded";
import { paths, pathTo } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import type { Autopilot } from "../commands";
import { DroneWork } from "../drone/drone-work";
import { EditorFrame } from "../editor/editor-frame";
import { FilePanel } from "../editor/file-panel";
import type { PlanEditor } from "../editor/plan-editor";
import { shapesOfStored } from "../geofence/fence";
import { AddTools } from "./add-tools";
import { faultsOf } from "./faults";
import { missionActions } from "./mission-actions";
import { MissionDronePanel, type PushedMission } from "./mission-drone-panel";
import { AltitudeProfile } from "./profile";
import { type MissionContent, toPoint } from "./row";
import { rowMarks } from "./row-marks";
import { RowsPanel } from "./rows-panel";

const MissionMap = lazy(() => import("./mission-map"));

const text = strings.plan;

/** Whose commands and parameters are offered. */
const autopilot = kept<Autopilot>("autopilot", "ardupilot", (value) =>
  value === "ardupilot" || value === "px4" ? value : undefined,
);

interface MissionEditorProps {
  readonly missionId: number;
  readonly editor: PlanEditor<MissionContent>;
}

export function MissionEditor({ missionId, editor }: MissionEditorProps) {
  const { api } = useSession().client;
  const { route } = useLocation();
  const selected = useSignal<number | undefined>(undefined);
  const panel = useSignal("rows");
  const isAdding = useSignal(editor.content.rows.length === 0);
  const command = useSignal(16);
  const middle = useRef<() => LatLng>(undefined);
  const pushed = useSignal<PushedMission | undefined>(undefined);
  const work = useMemo(() => new DroneWork(), []);
  const actions = useMemo(() => missionActions(editor, selected), [editor]);
  const faults = useComputed(() => faultsOf(editor.content.rows, autopilot.value));
  const marks = useMemo(() => rowMarks(editor), [editor]);
  const fences = useLoaded(() => reply(api.GET("/geofences")));
  const shapes = useMemo(() => shapesOfStored(fences.data.value ?? []), [fences.data.value]);
  const { name, rows } = editor.content;

  const saveCopy = async ({ name, rows }: MissionContent) => {
    const { id } = await reply(
      api.POST("/mission", { body: { name: text.copyOf(name.trim(), localTime(new Date())) } }),
    );
    const body = rows.map(toPoint);
    await reply(api.POST("/mission/{mission_id}/points", { params: { path: { mission_id: id } }, body }));
    route(pathTo(paths.mission, id));
  };

  return (
    <EditorFrame
      editor={editor}
      name={name}
      shown={panel}
      saveCopy={saveCopy}
      inWords={({ name, rows }) => text.versionOf(name, rows.length)}
      tools={
        <AddTools
          {...{ autopilot, command, isAdding }}
          onInsert={() => actions.add(command.value, middle.current?.())}
        />
      }
      map={
        <MissionMap
          {...{ editor, selected, isAdding, faults, actions, middle }}
          fences={shapes}
          onAdd={(position) => actions.add(command.value, position)}
        />
      }
      below={<AltitudeProfile rows={rows} selected={selected} />}
      panels={[
        {
          id: "rows",
          title: text.panels.rows,
          content: () => <RowsPanel {...{ editor, selected, autopilot, faults, marks, actions }} />,
        },
        {
          id: "drone",
          title: text.panels.drone,
          content: () => (
            <MissionDronePanel {...{ missionId, editor, marks, selected, panel, work, pushed }} />
          ),
        },
        {
          id: "file",
          title: text.panels.file,
          content: () => (
            <FilePanel
              kind="mission"
              id={missionId}
              {...{ editor, saveCopy, name }}
              onRename={actions.rename}
            />
          ),
        },
      ]}
    />
  );
}
