import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Plans() {
  return (
    <section class="wide">
      <Heading>{strings.plan.title}</Heading>
    </section>
  );
}
