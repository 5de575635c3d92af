import { reply } from "../../../client/client";
import { Dialog } from "../../parts/dialog";
import { Form, type Values } from "../../parts/form";
import { Labelled } from "../../parts/labelled";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone } from "./fleet-model";

const text = strings.fleet.settingsDialog;

interface DroneSettingsProps {
  readonly drone: Drone;
  readonly saved: () => Promise<void>;
  /** Asks whether the drone is to be deleted. */
  readonly remove: () => void;
  readonly onClose: () => void;
}

/** Its name, its mission, and where it is dialled. */
export function DroneSettings({ drone, saved, remove, onClose }: DroneSettingsProps) {
  const { api } = useSession().client;
  const missions = useLoaded(() => reply(api.GET("/missions")));
  const submit = async (values: Values) => {
    const path = { drone_id: drone.id };
    await reply(api.PUT("/drone/{drone_id}", { params: { path }, body: changeOf(drone, values) }));
    await saved();
    onClose();
  };
  return (
    <Dialog title={text.title(drone.name)} onClose={onClose}>
      <ShowLoaded of={missions}>
        {(found) => (
          <Form submit={submit} label={text.submit} busyLabel={text.busy}>
            <Labelled label={text.name}>
              {(field) => (
                <input
                  {...field}
                  name="name"
                  required
                  maxLength={200}
                  autocomplete="off"
                  defaultValue={drone.name}
                />
              )}
            </Labelled>
            <Labelled label={text.mission} hint={text.missionHint}>
              {(field) => (
                <select {...field} name="mission_id">
                  <option value="">{text.noMission}</option>
                  {found.map(({ id, name }) => (
                    <option key={id} value={id} selected={id === drone.mission_id}>
                      {name}
                    </option>
                  ))}
                </select>
              )}
            </Labelled>
            <Labelled label={text.port}>
              {(field) => (
                <input
                  {...field}
                  name="port"
                  type="number"
                  required
                  min={1}
                  max={65_535}
                  inputmode="numeric"
                  defaultValue={String(drone.port)}
                />
              )}
            </Labelled>
            {drone.type === "sitl" && (
              <Labelled label={text.host} hint={text.hostHint}>
                {(field) => (
                  <input
                    {...field}
                    name="link_host"
                    maxLength={253}
                    autocapitalize="none"
                    autocomplete="off"
                    spellcheck={false}
                    defaultValue={drone.link_host ?? ""}
                  />
                )}
              </Labelled>
            )}
          </Form>
        )}
      </ShowLoaded>
      <p class="apart">
        <button type="button" class="danger-quiet" onClick={remove}>
          {text.remove}
        </button>
      </p>
    </Dialog>
  );
}

/** Only what is another than before: a change elsewhere meanwhile is not undone. */
function changeOf(drone: Drone, { name = "", mission_id = "", port = "", link_host = "" }: Values) {
  const mission = mission_id === "" ? null : Number(mission_id);
  const host = link_host.trim() === "" ? null : link_host;
  return {
    ...(name !== drone.name && { name }),
    ...(mission !== drone.mission_id && { mission_id: mission }),
    ...(Number(port) !== drone.port && { port: Number(port) }),
    ...(drone.type === "sitl" && host !== drone.link_host && { link_host: host }),
  };
}
