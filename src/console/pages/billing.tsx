import { Card } from "../parts/card";
import { paths } from "../paths";
import { strings } from "../strings";

/** Where the payment provider's pages lead back to. */
export default function Billing() {
  return (
    <Card title={strings.billing.title}>
      <p>{strings.billing.processing}</p>
      <nav class="links">
        <a href={paths.home}>{strings.billing.home}</a>
      </nav>
    </Card>
  );
}
