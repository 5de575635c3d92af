import type { ComponentChildren } from "preact";
import { reply } from "../../../../client/client";
import { Heading } from "../../../parts/heading";
import { ShowLoaded, useLoaded } from "../../../parts/loaded";
import { paths } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { DronesContext } from "../drone/drones";
import { findDraft } from "./kept-drafts";
import { PlanEditor, type PlanStore } from "./plan-editor";
import "../plan.css";
import "../editor.css";
import "./row-form.css";

interface PlanPageProps<Content> {
  readonly store: PlanStore<Content>;
  readonly children: (editor: PlanEditor<Content>) => ComponentChildren;
}

/** Loads the plan and the draft of it that the browser kept. */
export function PlanPage<Content>({ store, children }: PlanPageProps<Content>) {
  const { api } = useSession().client;
  const drones = useLoaded(() => reply(api.GET("/drones")));
  const { kind, planId } = store.draftOf;
  const opened = useLoaded(async () => {
    const [stored, draft] = await Promise.all([store.load(), findDraft<Content>(store.draftOf)]);
    return new PlanEditor(stored, store, draft);
  }, [kind, planId]);
  const editor = opened.data.value;
  if (!editor)
    return (
      <section class="wide">
        <Heading>{strings.plan.title}</Heading>
        <ShowLoaded of={opened}>{() => null}</ShowLoaded>
        <p>
          <a href={paths.plans}>{strings.plan.editor.back}</a>
        </p>
      </section>
    );
  return (
    <DronesContext.Provider key={planId} value={drones}>
      {children(editor)}
    </DronesContext.Provider>
  );
}
