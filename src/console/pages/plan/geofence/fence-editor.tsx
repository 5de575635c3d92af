import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../../client/client";
import { localTime } from "../../../format/time";
import type { LatLng } from "../../../map/features";
import { useLoaded } from "../../../parts/loaded";
import { paths, pathTo } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { DroneWork } from "../drone/drone-work";
import type { UploadedFence } from "../drone/fence-orders";
import { EditorFrame } from "../editor/editor-frame";
import { FilePanel } from "../editor/file-panel";
import type { PlanEditor } from "../editor/plan-editor";
import { TapToggle } from "../editor/tap-toggle";
import { type FenceContent, shapesOfStored, toPoints } from "./fence";
import { fenceActions } from "./fence-actions";
import { FenceDronePanel, type FenceOnBoard } from "./fence-drone-panel";
import { VerticesPanel } from "./vertices-panel";

const FenceMap = lazy(() => import("./fence-map"));

const text = strings.plan;

interface FenceEditorProps {
  readonly geofenceId: number;
  readonly editor: PlanEditor<FenceContent>;
}

export function FenceEditor({ geofenceId, editor }: FenceEditorProps) {
  const { api } = useSession().client;
  const { route } = useLocation();
  const selected = useSignal<number | undefined>(undefined);
  const panel = useSignal("rows");
  const isAdding = useSignal(editor.content.rows.length === 0);
  const uploaded = useSignal<UploadedFence | undefined>(undefined);
  const onBoard = useSignal<FenceOnBoard | undefined>(undefined);
  const middle = useRef<() => LatLng>(undefined);
  const work = useMemo(() => new DroneWork(), []);
  const actions = useMemo(() => fenceActions(editor, selected), [editor]);
  const fences = useLoaded(() => reply(api.GET("/geofences")));
  const others = useMemo(
    () => shapesOfStored((fences.data.value ?? []).filter(({ id }) => id !== geofenceId)),
    [fences.data.value],
  );
  const { name, type } = editor.content;

  const saveCopy = async (content: FenceContent) => {
    const { name, type, fence_type, enabled } = content;
    const fields = { name: text.copyOf(name.trim(), localTime(new Date())), type, fence_type, enabled };
    const { id } = await reply(api.POST("/geofence", { body: fields }));
    const params = { path: { geofence_id: id } };
    await reply(api.POST("/geofence/{geofence_id}/points", { params, body: toPoints(content) }));
    route(pathTo(paths.geofence, id));
  };

  return (
    <EditorFrame
      editor={editor}
      name={name}
      shown={panel}
      saveCopy={saveCopy}
      inWords={({ name, rows }) => text.fence.versionOf(name, rows.length)}
      tools={
        <>
          <TapToggle
            isAdding={isAdding}
            label={type === "circle" ? text.tools.centreOnMap : text.tools.vertexOnMap}
          />
          <button
            type="button"
            title={text.tools.atMiddleHint}
            onClick={() => {
              const position = middle.current?.();
              if (position) actions.add(position);
            }}
          >
            {text.tools.atMiddle}
          </button>
        </>
      }
      map={<FenceMap {...{ editor, selected, isAdding, actions, others, middle }} />}
      panels={[
        {
          id: "rows",
          title: text.panels.fence,
          content: () => <VerticesPanel {...{ editor, selected, actions }} />,
        },
        {
          id: "drone",
          title: text.panels.drone,
          content: () => (
            <FenceDronePanel {...{ geofenceId, editor, selected, panel, work, uploaded, onBoard }} />
          ),
        },
        {
          id: "file",
          title: text.panels.file,
          content: () => (
            <FilePanel
              kind="geofence"
              id={geofenceId}
              {...{ editor, saveCopy, name }}
              onRename={(name) => actions.setFields({ name })}
            />
          ),
        },
      ]}
    />
  );
}
