import { reply } from "../../../client/client";
import { localDate } from "../../format/time";
import { Dialog } from "../../parts/dialog";
import { Form } from "../../parts/form";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Subscription } from "./subscription";

const text = strings.account.cancelSubscription;

interface CancelSubscriptionProps {
  readonly subscription: Subscription;
  readonly onCancelled: (subscription: Subscription) => void;
  readonly onClose: () => void;
}

/** At the period's end, which can be undone until then, or at once. */
export function CancelSubscription({ subscription, onCancelled, onClose }: CancelSubscriptionProps) {
  const { api } = useSession().client;
  const end = subscription.current_period_end;
  const cancel = async (immediate: boolean) => {
    const { data } = await reply(api.POST("/billing/subscription/cancel", { body: { immediate } }));
    onClose();
    onCancelled(data);
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p>{text.intro}</p>
      <Form
        label={text.submit}
        busyLabel={text.busy}
        isDangerous
        submit={({ when }) => cancel(when === "once")}
      >
        <fieldset class="when-choices">
          <legend>{text.when}</legend>
          <label class="choice">
            <input type="radio" name="when" value="end" defaultChecked />
            {end === null ? text.atEnd : text.atEndOn(localDate(end))}
          </label>
          <label class="choice">
            <input type="radio" name="when" value="once" />
            {text.atOnce}
          </label>
        </fieldset>
        <button type="button" autofocus onClick={onClose}>
          {text.keep}
        </button>
      </Form>
    </Dialog>
  );
}
