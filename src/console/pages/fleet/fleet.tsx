import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { Heading } from "../../parts/heading";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";

type Drone = components["schemas"]["Drone"];

const text = strings.fleet;

/** The user's drones. */
export default function Fleet() {
  const { api } = useSession().client;
  const drones = useLoaded(() => reply(api.GET("/drones")));
  return (
    <section class="wide">
      <Heading>{text.title}</Heading>
      <ShowLoaded of={drones}>{(found) => <DroneList drones={found} />}</ShowLoaded>
    </section>
  );
}

function DroneList({ drones }: { drones: readonly Drone[] }) {
  if (drones.length === 0) return <p>{text.none}</p>;
  return (
    <table class="list">
      <caption>{text.count(drones.length)}</caption>
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col">{text.vehicle}</th>
          <th scope="col">{text.kind}</th>
        </tr>
      </thead>
      <tbody>
        {drones.map(({ id, name, vehicle_type, type }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td>{text.vehicles[vehicle_type]}</td>
            <td>{text.kinds[type]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
