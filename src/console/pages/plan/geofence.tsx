import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function GeofenceEditor() {
  return (
    <section class="wide">
      <Heading>{strings.plan.title}</Heading>
    </section>
  );
}
