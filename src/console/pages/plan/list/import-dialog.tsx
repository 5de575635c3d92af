import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { components } from "../../../../client/api-types";
import { reply } from "../../../../client/client";
import { inMetres, shortLength } from "../../../format/units";
import { Dialog } from "../../../parts/dialog";
import { Form, type Values } from "../../../parts/form";
import { paths, pathTo } from "../../../paths";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";

interface ImportDialogProps {
  readonly kind: "mission" | "geofence";
  readonly onClose: () => void;
  /** Something was stored. */
  readonly onStored: () => Promise<void>;
}

interface Imported {
  readonly plans: readonly { readonly id: number; readonly name: string }[];
  readonly leftOut: readonly components["schemas"]["LeftOut"][];
}

const text = strings.plan.import;

/** A file of another program becomes a mission or geofences. What of it is not stored is listed. */
export function ImportDialog({ kind, onClose, onStored }: ImportDialogProps) {
  const { api } = useSession().client;
  const imported = useSignal<Imported | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);

  const submit = async ({ name, altitude, fence_type }: Values) => {
    const file = input.current?.files?.[0];
    if (!file) return;
    const named = name?.trim() ? { name: name.trim() } : {};
    const raw = {
      // The file itself is the body.
      body: file as unknown as string,
      bodySerializer: (body: string) => body as unknown as Blob,
      headers: { "Content-Type": "application/octet-stream" },
    };
    if (kind === "mission") {
      const metres = altitude?.trim() ? { altitude: Number(inMetres(Number(altitude)).toFixed(2)) } : {};
      const params = { query: { ...named, ...metres } };
      const { mission, left_out } = await reply(api.POST("/missions/import", { params, ...raw }));
      imported.value = { plans: [mission], leftOut: left_out };
    } else {
      const params = { query: { ...named, fence_type: fence_type as "inclusion" | "exclusion" } };
      const { geofences, left_out } = await reply(api.POST("/geofences/import", { params, ...raw }));
      imported.value = { plans: geofences, leftOut: left_out };
    }
    await onStored();
  };

  const { value: done } = imported;
  return (
    <Dialog title={kind === "mission" ? text.mission : text.geofence} onClose={onClose}>
      {done ? (
        <Result kind={kind} {...done} />
      ) : (
        <Form submit={submit} label={text.submit} busyLabel={text.busy}>
          <div class="field">
            <label for="import-file">{text.file}</label>
            <input
              ref={input}
              id="import-file"
              type="file"
              required
              accept=".plan,.waypoints,.txt,.kml,.kmz,.geojson,.json"
            />
            <p class="hint">{text.formats}</p>
          </div>
          <div class="field">
            <label for="import-name">{text.name}</label>
            <input id="import-name" name="name" maxLength={200} autocomplete="off" />
          </div>
          {kind === "mission" ? (
            <div class="field">
              <label for="import-altitude">{text.altitude(shortLength().name)}</label>
              <input id="import-altitude" name="altitude" type="number" step="any" inputMode="decimal" />
              <p class="hint">{text.altitudeHint}</p>
            </div>
          ) : (
            <div class="field">
              <label for="import-kind">{text.fenceType}</label>
              <select id="import-kind" name="fence_type">
                <option value="exclusion">{strings.plan.fence.kinds.exclusion}</option>
                <option value="inclusion">{strings.plan.fence.kinds.inclusion}</option>
              </select>
            </div>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Result({ kind, plans, leftOut }: Imported & Pick<ImportDialogProps, "kind">) {
  return (
    <div class="imported">
      <p role="status" class="notice">
        {text.stored}
      </p>
      <ul>
        {plans.map(({ id, name }) => (
          <li key={id}>
            <a href={pathTo(kind === "mission" ? paths.mission : paths.geofence, id)}>{name}</a>
          </li>
        ))}
      </ul>
      {leftOut.length > 0 && (
        <>
          <h3>{text.leftOut(leftOut.length)}</h3>
          <ul class="left-out">
            {leftOut.map(({ at, what, why }, index) => (
              <li key={index}>
                <strong>{at}</strong> {what}: {why}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
