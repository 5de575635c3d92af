import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../../client/client";
import { Confirm } from "../../../parts/confirm";
import { errorText } from "../../../parts/error-text";
import { Failure } from "../../../parts/loaded";
import { paths, pathTo } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import type { Drone } from "../drone/drones";
import { dropDrafts, plansWithDraft } from "../editor/kept-drafts";
import type { StoredGeofence } from "../geofence/fence";
import { FleetFenceDialog } from "./fleet-fence-dialog";
import { ImportDialog } from "./import-dialog";
import { NamedDialog } from "./named-dialog";
import { PlanTable } from "./plan-table";

interface GeofenceListProps {
  readonly geofences: readonly StoredGeofence[];
  readonly isFiltered: boolean;
  readonly drones: readonly Drone[];
  readonly reload: () => Promise<void>;
}

const text = strings.plan.lists;
const words = strings.plan.fence;

export function GeofenceList({ geofences, isFiltered, drones, reload }: GeofenceListProps) {
  const session = useSession();
  const { api } = session.client;
  const { route } = useLocation();
  const open = useSignal<"new" | "import" | "drone" | StoredGeofence | undefined>(undefined);
  const failure = useSignal("");
  const close = () => {
    open.value = undefined;
  };
  const userId = session.user.value?.id ?? 0;
  const drafts = useMemo(() => plansWithDraft(userId, "geofence"), [geofences]);
  const create = async ({ name = "", type, fence_type }: Readonly<Record<string, string>>) => {
    const fields = { name, type, fence_type } as Pick<StoredGeofence, "name" | "type" | "fence_type">;
    const { id } = await reply(api.POST("/geofence", { body: fields }));
    route(pathTo(paths.geofence, id));
  };
  const remove = async ({ id }: StoredGeofence) => {
    await reply(api.DELETE("/geofence/{geofence_id}", { params: { path: { geofence_id: id } } }));
    dropDrafts({ userId, kind: "geofence", planId: id });
    close();
    await reload();
  };
  const enable = async ({ id, enabled }: StoredGeofence) => {
    failure.value = "";
    try {
      const params = { path: { geofence_id: id } };
      await reply(api.PATCH("/geofence/{geofence_id}", { params, body: { enabled: !enabled } }));
    } catch (error) {
      failure.value = errorText(error);
    }
    await reload();
  };
  const { value: opened } = open;
  return (
    <section aria-labelledby="geofences-title">
      <div class="list-head">
        <h2 id="geofences-title">{text.geofences}</h2>
        <div class="actions">
          <button
            type="button"
            class="primary"
            onClick={() => {
              open.value = "new";
            }}
          >
            {text.newGeofence}
          </button>
          <button
            type="button"
            onClick={() => {
              open.value = "import";
            }}
          >
            {text.import}
          </button>
          <button
            type="button"
            disabled={drones.length === 0}
            onClick={() => {
              open.value = "drone";
            }}
          >
            {text.onDrone}
          </button>
        </div>
      </div>
      <Failure text={failure.value} />
      <PlanTable
        plans={geofences}
        none={isFiltered ? text.noneFound : text.noGeofences}
        columns={[
          {
            title: text.kind,
            cell: ({ type, fence_type }) => words.kindOf(words.shapes[type], words.kinds[fence_type]),
          },
          {
            title: text.enabled,
            cell: (geofence) => (
              <label class="choice">
                <input
                  type="checkbox"
                  aria-label={text.enabledOf(geofence.name)}
                  checked={geofence.enabled}
                  onChange={() => enable(geofence)}
                />
              </label>
            ),
          },
        ]}
        pathOf={({ id }) => pathTo(paths.geofence, id)}
        hasDraft={({ id }) => drafts.has(id)}
        onDelete={(geofence) => {
          open.value = geofence;
        }}
      />
      {opened === "new" && (
        <NamedDialog title={text.newGeofence} submit={create} onClose={close}>
          <Choice name="type" label={words.shape} options={words.shapes} />
          <Choice name="fence_type" label={words.keep} options={words.kinds} />
        </NamedDialog>
      )}
      {opened === "import" && <ImportDialog kind="geofence" onClose={close} onStored={reload} />}
      {opened === "drone" && <FleetFenceDialog drones={drones} onClose={close} />}
      {typeof opened === "object" && (
        <Confirm
          title={text.deleteTitle(opened.name)}
          label={text.deleteGeofence}
          busyLabel={text.deleting}
          confirm={() => remove(opened)}
          onClose={close}
        >
          {text.deleteGeofenceText}
        </Confirm>
      )}
    </section>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
}

const Choice = ({ name, label, options }: ChoiceProps) => (
  <div class="field">
    <label for={`new-${name}`}>{label}</label>
    <select id={`new-${name}`} name={name}>
      {Object.entries(options).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </div>
);
