import { useRoute } from "preact-iso/router";
import { reply } from "../../../client/client";
import { Heading } from "../../parts/heading";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { paths } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { FlyDrone } from "./fly-drone";

const text = strings.fly;

/** One drone, flown. */
export default function Fly() {
  const { api } = useSession().client;
  const id = Number(useRoute().params.id);
  const drones = useLoaded(() => reply(api.GET("/drones")));
  const drone = drones.data.value?.find((one) => one.id === id);
  if (drone) return <FlyDrone key={id} drone={drone} />;
  return (
    <section class="wide">
      <Heading>{text.title}</Heading>
      <ShowLoaded of={drones}>
        {() => (
          <>
            <p>{text.notFound}</p>
            <a href={paths.home}>{strings.notFound.home}</a>
          </>
        )}
      </ShowLoaded>
    </section>
  );
}
