import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Flight() {
  return (
    <section class="wide">
      <Heading>{strings.flights.title}</Heading>
    </section>
  );
}
