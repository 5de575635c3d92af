import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Fly() {
  return (
    <section class="wide">
      <Heading>{strings.fly.title}</Heading>
    </section>
  );
}
