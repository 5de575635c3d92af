import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { components } from "../../client/api-types";
import { reply } from "../../client/client";
import { errorText } from "../parts/error-text";
import { Heading } from "../parts/heading";
import { useSession } from "../session/context";
import { strings } from "../strings";

type Drone = components["schemas"]["Drone"];

const text = strings.home;

/** The user's drones. */
export default function Home() {
  const { api } = useSession().client;
  const drones = useSignal<readonly Drone[] | undefined>(undefined);
  const failure = useSignal("");
  useEffect(() => {
    reply(api.GET("/drones")).then(
      (found) => {
        drones.value = found;
      },
      (error) => {
        failure.value = errorText(error);
      },
    );
  }, []);
  return (
    <section class="wide">
      <Heading>{text.title}</Heading>
      <p role="alert" class="failure" hidden={failure.value === ""}>
        {failure.value}
      </p>
      {drones.value ? <DroneList drones={drones.value} /> : failure.value === "" && <p>{text.loading}</p>}
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
