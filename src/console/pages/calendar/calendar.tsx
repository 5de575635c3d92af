import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Calendar() {
  return (
    <section class="wide">
      <Heading>{strings.calendar.title}</Heading>
    </section>
  );
}
