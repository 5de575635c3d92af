import type { Db } from "../../../../platform/postgres/db";
import {
  freshId,
  invoiceObject,
  type PaymentEvent,
  paymentEvent,
  signEvent,
} from "../../../fakes/payment-events";
import type { Finding, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { ask, isStatus } from "./client";
import { finished, type Repetition, repeatEvery } from "./repeat";

const EVERY_MS = 300;
/** Every third event is sent to both gateways at once. */
const TWICE = 3;

interface WebhookLoadOptions {
  readonly gateways: readonly string[];
  readonly secret: string;
  readonly userId: number;
  readonly db: Db;
  readonly round: Round;
  readonly progress: Progress;
}

interface SentEvent {
  readonly round: number;
  readonly invoice: string;
  readonly event: PaymentEvent;
  acknowledged: boolean;
}

/** A payment provider that sends events of paid invoices, each until it is acknowledged. */
export class WebhookLoad implements Load {
  readonly kind = "webhooks";
  private readonly sent: SentEvent[] = [];
  private readonly repetitions: Repetition[];
  private stopping = false;

  constructor(private readonly options: WebhookLoadOptions) {
    const { gateways, progress } = options;
    this.repetitions = gateways.map((url) => {
      progress.expect("webhooks", url);
      let current: SentEvent | undefined;
      return repeatEvery(EVERY_MS, async () => {
        if (this.stopping && current?.acknowledged !== false) return;
        if (current?.acknowledged !== false) current = this.newEvent();
        await this.tell(url, current);
      });
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const areAcknowledged = () => this.sent.every(({ acknowledged }) => acknowledged);
    await finished("every acknowledgement", areAcknowledged);
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private newEvent(): SentEvent {
    const invoice = freshId("in");
    const { userId } = this.options;
    const object = invoiceObject({
      ...{ id: "sub_faults", customer: "cus_faults", userId, invoice, paymentIntent: freshId("pi") },
    });
    const event = paymentEvent("invoice.paid", object, 1_795_000_000 + this.sent.length);
    const sent = { round: this.options.round.current, invoice, event, acknowledged: false };
    this.sent.push(sent);
    return sent;
  }

  private async tell(url: string, sent: SentEvent): Promise<void> {
    const { gateways, progress, secret } = this.options;
    const body = JSON.stringify(sent.event);
    const send = async (to: string) => {
      const headers = { "content-type": "application/json", "payment-signature": signEvent(body, secret) };
      const answer = await ask(`${to}/api/v1/billing/webhook`, { body, headers });
      if (!isStatus(answer, 200)) return;
      sent.acknowledged = true;
      progress.success("webhooks", to);
    };
    const twice = this.sent.length % TWICE === 0;
    await Promise.all((twice ? gateways : [url]).map(send));
  }

  async result(): Promise<LoadResult> {
    const rows: { invoice_id: string; status: string }[] = await this.options.db("payments");
    const findings = this.sent.flatMap(({ invoice, acknowledged, round }): Finding[] => {
      const payments = rows.filter(({ invoice_id }) => invoice_id === invoice);
      const finding = {
        load: "webhooks",
        round,
        detail: `${payments.length} payments of ${invoice}`,
      } as const;
      if (payments.length > 1) return [{ ...finding, type: "duplicated" }];
      return acknowledged && payments[0]?.status !== "paid" ? [{ ...finding, type: "lost" }] : [];
    });
    return { acknowledged: this.sent.filter(({ acknowledged }) => acknowledged).length, findings };
  }
}
