import { useLocation } from "preact-iso/router";
import { reply } from "../../client/client";
import { Card } from "../parts/card";
import { useLoaded } from "../parts/loaded";
import { usePolling } from "../parts/polling";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { strings } from "../strings";

const text = strings.billing;

/** Where the payment provider's pages lead back to: after a checkout that was paid or left, or from the billing portal. */
export default function Billing() {
  const { checkout } = useLocation().query;
  const user = useSession().user.value;
  return (
    <Card title={text.title}>
      {checkout === "success" ? (
        user ? (
          <Processing key={user.id} />
        ) : (
          <p>{text.processing}</p>
        )
      ) : (
        <p>{checkout === "cancelled" ? text.left : text.back}</p>
      )}
      <nav class="links">
        <a href={paths.account}>{text.account}</a>
        <a href={paths.home}>{text.home}</a>
      </nav>
    </Card>
  );
}

const POLL_MS = 3_000;

/** Waits for the provider's word, which comes to the gateway and not to this page. */
function Processing() {
  const { api } = useSession().client;
  const subscription = useLoaded(async () => (await reply(api.GET("/billing/subscription"))).data);
  const found = subscription.data.value;
  const covered =
    found?.status === "active" || found?.status === "trialing" ? found.vehicle_count : undefined;
  usePolling(subscription.reload, covered === undefined ? POLL_MS : undefined);
  return covered === undefined ? (
    <p>{text.processing}</p>
  ) : (
    <p role="status" class="notice">
      {text.active(covered)}
    </p>
  );
}
