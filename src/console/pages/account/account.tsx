import { Heading } from "../../parts/heading";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { PasswordPart } from "./password";
import { PaymentsPart } from "./payments";
import { QuotasPart } from "./quotas";
import { ReportsPart } from "./report-emails";
import { SimulationPart } from "./simulation";
import { SubscriptionPart } from "./subscription";
import { VpnPart } from "./vpn";
import "../../styles/details.css";
import "./account.css";

const text = strings.account;

/** The user's own settings. Each part loads by itself: one that fails hides no other. */
export default function Account() {
  const user = useSession().user.value;
  return (
    <section class="account">
      <Heading>{text.title}</Heading>
      {user && <p class="quiet-text">{text.signedInAs(user.username)}</p>}
      <div class="account-columns">
        <div>
          <SubscriptionPart />
          <PaymentsPart />
          <SimulationPart />
        </div>
        <div>
          <VpnPart />
          <ReportsPart />
          {user && <PasswordPart email={user.username} />}
        </div>
      </div>
      <QuotasPart />
    </section>
  );
}
