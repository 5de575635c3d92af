import { useSignal } from "@preact/signals";
import { reply } from "../../../../client/client";
import { Labelled } from "../../../parts/labelled";
import { ShowLoaded, useLoaded } from "../../../parts/loaded";
import { useSession } from "../../../session/context";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import { Sheet, SheetButtons } from "./sheet";

const text = strings.fly.sheets;

/** Which of the user's missions is put on board. */
export function PushSheet({ close }: { close: () => void }) {
  const { api } = useSession().client;
  const { drone, orders, onBoard } = useFlown();
  const missions = useLoaded(() => reply(api.GET("/missions")));
  const chosen = useSignal(drone.mission_id ? String(drone.mission_id) : "");
  return (
    <Sheet title={text.push} close={close}>
      <ShowLoaded of={missions}>
        {(found) => {
          const mission = found.find((one) => String(one.id) === chosen.value);
          return (
            <>
              <Labelled label={text.mission}>
                {(field) => (
                  <select
                    {...field}
                    value={chosen.value}
                    onChange={({ currentTarget }) => {
                      chosen.value = currentTarget.value;
                    }}
                  >
                    <option value="">{found.length === 0 ? text.noMissions : text.chooseMission}</option>
                    {found.map(({ id, name }) => (
                      <option key={id} value={String(id)}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </Labelled>
              <SheetButtons
                label={text.holdToPush}
                isDisabled={!mission}
                close={close}
                onHeld={async () => {
                  close();
                  if (mission) await orders.pushMission(mission.id, mission.name);
                  // A push that failed may have changed it, too.
                  await onBoard.read();
                }}
              />
            </>
          );
        }}
      </ShowLoaded>
    </Sheet>
  );
}
