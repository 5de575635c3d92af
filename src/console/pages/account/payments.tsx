import { useSignal } from "@preact/signals";
import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { money } from "../../format/money";
import { localDate } from "../../format/time";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { isWebPage } from "./leave";
import { Section } from "./section";

const text = strings.account.payments;

/** Those that the API gives at most, and those that are shown at first. */
const LISTED = 100;
const SHOWN = 6;

/** What was paid, or failed to be, the newest first. */
export function PaymentsPart() {
  const { api } = useSession().client;
  const payments = useLoaded(
    async () => (await reply(api.GET("/billing/payments", { params: { query: { limit: LISTED } } }))).data,
  );
  const showsAll = useSignal(false);
  return (
    <Section title={text.title}>
      <ShowLoaded of={payments}>
        {(all) =>
          all.length === 0 ? (
            <p class="quiet-text">{text.none}</p>
          ) : (
            <>
              <ul class="rows">
                {(showsAll.value ? all : all.slice(0, SHOWN)).map((payment) => (
                  <Payment key={payment.id} payment={payment} />
                ))}
              </ul>
              {all.length > SHOWN && !showsAll.value && (
                <button
                  type="button"
                  onClick={() => {
                    showsAll.value = true;
                  }}
                >
                  {text.showAll(all.length)}
                </button>
              )}
            </>
          )
        }
      </ShowLoaded>
    </Section>
  );
}

const Payment = ({ payment }: { payment: components["schemas"]["Payment"] }) => {
  const { paid_at, amount, currency, status, invoice_url } = payment;
  return (
    <li>
      <span class="row-text">
        {localDate(paid_at)} · {money(amount, currency)}
        <span class={status === "paid" ? "state" : "state waits"}>{text.states[status]}</span>
      </span>
      {invoice_url !== null && isWebPage(invoice_url) && (
        <a href={invoice_url} target="_blank" rel="noopener noreferrer">
          {text.invoice}
        </a>
      )}
    </li>
  );
};
