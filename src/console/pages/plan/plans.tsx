import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { Heading } from "../../parts/heading";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { GeofenceList } from "./list/geofence-list";
import { MissionList } from "./list/mission-list";
import "./plan.css";

const text = strings.plan;

/** Plans from which on the list can be filtered. */
const MANY = 8;

/** The user's missions and geofences. */
export default function Plans() {
  const { api } = useSession().client;
  const filter = useSignal("");
  const missions = useLoaded(() => reply(api.GET("/missions")));
  const geofences = useLoaded(() => reply(api.GET("/geofences")));
  const drones = useLoaded(() => reply(api.GET("/drones")));
  const count = (missions.data.value?.length ?? 0) + (geofences.data.value?.length ?? 0);
  const wanted = filter.value.trim().toLowerCase();
  const isShown = ({ name }: { name: string }) => name.toLowerCase().includes(wanted);
  return (
    <section class="plans">
      <div class="plans-head">
        <Heading>{text.title}</Heading>
        {(count > MANY || wanted !== "") && (
          <div class="field">
            <label for="plans-filter">{text.lists.filter}</label>
            <input
              id="plans-filter"
              type="search"
              autocomplete="off"
              value={filter.value}
              onInput={({ currentTarget }) => {
                filter.value = currentTarget.value;
              }}
            />
          </div>
        )}
      </div>
      <div class="plans-lists">
        <ShowLoaded of={missions}>
          {(found) => (
            <MissionList
              missions={found.filter(isShown)}
              isFiltered={wanted !== ""}
              drones={drones.data.value ?? []}
              reload={missions.reload}
            />
          )}
        </ShowLoaded>
        <ShowLoaded of={geofences}>
          {(found) => (
            <GeofenceList
              geofences={found.filter(isShown)}
              isFiltered={wanted !== ""}
              drones={drones.data.value ?? []}
              reload={geofences.reload}
            />
          )}
        </ShowLoaded>
      </div>
    </section>
  );
}
