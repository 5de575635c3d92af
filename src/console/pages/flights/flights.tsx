import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Flights() {
  return (
    <section class="wide">
      <Heading>{strings.flights.title}</Heading>
    </section>
  );
}
