import { Heading } from "../../parts/heading";
import { strings } from "../../strings";

export default function Account() {
  return (
    <section class="wide">
      <Heading>{strings.account.title}</Heading>
    </section>
  );
}
