import { useMemo } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { useSession } from "../../session/context";
import { PlanPage } from "./editor/plan-page";
import { MissionEditor } from "./mission/mission-editor";
import { missionStore } from "./mission/mission-store";

/** One mission under edit. */
export default function MissionPage() {
  const session = useSession();
  const missionId = Number(useRoute().params.id);
  const store = useMemo(
    () => missionStore(session, session.user.peek()?.id ?? 0, missionId),
    [session, missionId],
  );
  return (
    <PlanPage store={store}>{(editor) => <MissionEditor missionId={missionId} editor={editor} />}</PlanPage>
  );
}
