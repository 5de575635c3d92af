import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { money } from "../../format/money";
import { localDate } from "../../format/time";
import { useAction } from "../../parts/action";
import { Failure, ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { CancelSubscription } from "./cancel-subscription";
import { leaveFor } from "./leave";
import { Section } from "./section";
import { VehicleCountForm } from "./vehicle-count-form";

export type Subscription = components["schemas"]["Subscription"];
export type Pricing = components["schemas"]["Pricing"];

const text = strings.account.subscription;

const ended: readonly Subscription["status"][] = ["canceled", "incomplete_expired"];
const active: readonly Subscription["status"][] = ["active", "trialing"];

/** What the user's subscription covers, what it costs, and how to change it. */
export function SubscriptionPart() {
  const { api } = useSession().client;
  const loaded = useLoaded(async () => {
    const [pricing, subscription] = await Promise.all([
      reply(api.GET("/billing/pricing")),
      reply(api.GET("/billing/subscription")),
    ]);
    return { pricing: pricing.data, subscription: subscription.data };
  });
  const set = (subscription: Subscription) => {
    const { data } = loaded;
    if (data.value) data.value = { ...data.value, subscription };
  };
  return (
    <Section title={text.title}>
      <ShowLoaded of={loaded}>
        {({ pricing, subscription }) =>
          subscription && !ended.includes(subscription.status) ? (
            <Held {...{ subscription, pricing, set }} />
          ) : (
            <Offer pricing={pricing} hasEnded={subscription !== null} />
          )
        }
      </ShowLoaded>
    </Section>
  );
}

/** `€120.00 a year`, of so many vehicles. */
export const priceOf = (vehicles: number, { price_per_vehicle, currency, billing_period }: Pricing): string =>
  text.perPeriod(money(vehicles * price_per_vehicle, currency), text.periods[billing_period]);

/** For a user without a subscription. */
function Offer({ pricing, hasEnded }: { pricing: Pricing; hasEnded: boolean }) {
  const { api } = useSession().client;
  const checkOut = async (vehicle_count: number) => {
    const { data } = await reply(api.POST("/billing/checkout", { body: { vehicle_count } }));
    leaveFor(data.checkout_url);
  };
  return (
    <>
      <p>
        {hasEnded ? text.hasEnded : text.none} {text.free(pricing.free_simulated_vehicles)}
      </p>
      {pricing.checkout_available ? (
        <>
          <p>{text.price(priceOf(1, pricing))}</p>
          <VehicleCountForm
            start={1}
            label={() => text.subscribe}
            busyLabel={text.leaving}
            cost={(count) => text.costs(priceOf(count, pricing))}
            submit={checkOut}
          />
          <p class="quiet-text">{text.leads}</p>
        </>
      ) : (
        <p class="quiet-text">{text.byOperator}</p>
      )}
    </>
  );
}

interface HeldProps {
  readonly subscription: Subscription;
  readonly pricing: Pricing;
  readonly set: (subscription: Subscription) => void;
}

function Held({ subscription, pricing, set }: HeldProps) {
  const { status, vehicle_count, granted, cancel_at_period_end, current_period_end } = subscription;
  const isActive = active.includes(status);
  const canChange = !granted && pricing.checkout_available;
  return (
    <>
      <dl class="fact-list">
        <dt>{text.state}</dt>
        <dd class={isActive ? undefined : "state waits"}>{text.states[status]}</dd>
        <dt>{text.vehicles}</dt>
        <dd>{text.covers(vehicle_count, vehicle_count + pricing.free_simulated_vehicles)}</dd>
        {!granted && (
          <>
            <dt>{text.cost}</dt>
            <dd>{priceOf(vehicle_count, pricing)}</dd>
          </>
        )}
        {current_period_end !== null && (
          <>
            <dt>{cancel_at_period_end ? text.ends : text.renews}</dt>
            <dd>{localDate(current_period_end)}</dd>
          </>
        )}
      </dl>
      {granted && <p class="quiet-text">{text.granted}</p>}
      {!granted && !pricing.checkout_available && <p class="quiet-text">{text.notHere}</p>}
      {canChange && !isActive && <p class="caution">{text.settle}</p>}
      {canChange && <Change {...{ subscription, pricing, set }} />}
    </>
  );
}

/** Of a subscription that was bought. */
function Change({ subscription, pricing, set }: HeldProps) {
  const { api } = useSession().client;
  const { vehicle_count: held, cancel_at_period_end: isEnding, status } = subscription;
  const { isBusy, failure, run } = useAction();
  const isCancelling = useSignal(false);
  const change = async (vehicle_count: number) =>
    set((await reply(api.PUT("/billing/subscription/vehicles", { body: { vehicle_count } }))).data);
  const openPortal = () =>
    run(async () => leaveFor((await reply(api.POST("/billing/portal"))).data.portal_url));
  const keep = () => run(async () => set((await reply(api.POST("/billing/subscription/reactivate"))).data));
  return (
    <>
      {active.includes(status) && (
        <VehicleCountForm
          key={held}
          start={held}
          unchanged={held}
          label={(count) => (count === held ? text.change : text.changeTo(count))}
          busyLabel={text.changing}
          cost={(count) =>
            count === held
              ? text.difference
              : text.costsInstead(priceOf(count, pricing), priceOf(held, pricing))
          }
          submit={change}
        />
      )}
      <Failure text={failure.value} />
      <div class="beside">
        <button type="button" aria-disabled={isBusy.value} onClick={openPortal}>
          {text.portal}
        </button>
        {isEnding ? (
          <button type="button" aria-disabled={isBusy.value} onClick={keep}>
            {text.keep}
          </button>
        ) : (
          <button type="button" class="deletes" onClick={() => show(isCancelling)}>
            {text.cancel}
          </button>
        )}
      </div>
      {isCancelling.value && (
        <CancelSubscription
          subscription={subscription}
          onCancelled={set}
          onClose={() => {
            isCancelling.value = false;
          }}
        />
      )}
    </>
  );
}

const show = (dialog: Signal<boolean>) => {
  dialog.value = true;
};
