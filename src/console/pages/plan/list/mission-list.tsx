import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { components } from "../../../../client/api-types";
import { reply } from "../../../../client/client";
import { distance } from "../../../format/units";
import { Confirm } from "../../../parts/confirm";
import { paths, pathTo } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import type { Drone } from "../drone/drones";
import { dropDrafts, plansWithDraft } from "../editor/kept-drafts";
import { routeOf } from "../mission/route";
import { toRows } from "../mission/row";
import { ImportDialog } from "./import-dialog";
import { NamedDialog } from "./named-dialog";
import { PlanTable } from "./plan-table";

type Mission = components["schemas"]["Mission"];

interface MissionListProps {
  readonly missions: readonly Mission[];
  readonly isFiltered: boolean;
  readonly drones: readonly Drone[];
  readonly reload: () => Promise<void>;
}

const text = strings.plan.lists;

export function MissionList({ missions, isFiltered, drones, reload }: MissionListProps) {
  const session = useSession();
  const { api } = session.client;
  const { route } = useLocation();
  const open = useSignal<"new" | "import" | Mission | undefined>(undefined);
  const close = () => {
    open.value = undefined;
  };
  const userId = session.user.value?.id ?? 0;
  const drafts = useMemo(() => plansWithDraft(userId, "mission"), [missions]);
  const create = async (name: string) => {
    const { id } = await reply(api.POST("/mission", { body: { name } }));
    route(pathTo(paths.mission, id));
  };
  const remove = async ({ id }: Mission) => {
    await reply(api.DELETE("/mission/{mission_id}", { params: { path: { mission_id: id } } }));
    dropDrafts({ userId, kind: "mission", planId: id });
    close();
    await reload();
  };
  const { value: opened } = open;
  return (
    <section aria-labelledby="missions-title">
      <div class="list-head">
        <h2 id="missions-title">{text.missions}</h2>
        <div class="actions">
          <button
            type="button"
            class="primary"
            onClick={() => {
              open.value = "new";
            }}
          >
            {text.newMission}
          </button>
          <button
            type="button"
            onClick={() => {
              open.value = "import";
            }}
          >
            {text.import}
          </button>
        </div>
      </div>
      <PlanTable
        plans={missions}
        none={isFiltered ? text.noneFound : text.noMissions}
        columns={[
          { title: text.rows, cell: ({ mission_points }) => mission_points.length },
          { title: text.length, cell: ({ mission_points }) => distance(lengthOf(mission_points)) },
          {
            title: text.drones,
            cell: ({ id }) =>
              drones
                .filter(({ mission_id }) => mission_id === id)
                .map(({ name }) => name)
                .join(", "),
            isExtra: true,
          },
        ]}
        pathOf={({ id }) => pathTo(paths.mission, id)}
        hasDraft={({ id }) => drafts.has(id)}
        onDelete={(mission) => {
          open.value = mission;
        }}
      />
      {opened === "new" && (
        <NamedDialog title={text.newMission} submit={({ name = "" }) => create(name)} onClose={close} />
      )}
      {opened === "import" && <ImportDialog kind="mission" onClose={close} onStored={reload} />}
      {typeof opened === "object" && (
        <Confirm
          title={text.deleteTitle(opened.name)}
          label={text.deleteMission}
          busyLabel={text.deleting}
          confirm={() => remove(opened)}
          onClose={close}
        >
          {text.deleteMissionText}
        </Confirm>
      )}
    </section>
  );
}

const lengthOf = (points: Mission["mission_points"]): number => routeOf(toRows(points), 5).length;
