import { useMemo } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { useSession } from "../../session/context";
import { PlanPage } from "./editor/plan-page";
import { FenceEditor } from "./geofence/fence-editor";
import { fenceStore } from "./geofence/fence-store";

/** One geofence under edit. */
export default function GeofencePage() {
  const session = useSession();
  const geofenceId = Number(useRoute().params.id);
  const store = useMemo(
    () => fenceStore(session, session.user.peek()?.id ?? 0, geofenceId),
    [session, geofenceId],
  );
  return (
    <PlanPage store={store}>{(editor) => <FenceEditor geofenceId={geofenceId} editor={editor} />}</PlanPage>
  );
}
