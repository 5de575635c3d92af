import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEndOfFile } from "../clean-up";

/** One request as it came: `POST /v1/subscriptions/sub_1`, with its form fields by their full names. */
interface RecordedRequest {
  readonly line: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
}

interface StoredSubscription {
  readonly id: string;
  customer: string;
  status: string;
  quantity: number;
  cancel_at_period_end: boolean;
  cancel_at: number | null;
  metadata: Record<string, string>;
}

const PERIOD_END = 1_830_000_000;
const CREATED = 1_790_000_000;

/**
 * A FAKE payment provider, not Stripe: a server on loopback that answers the few calls we make in Stripe's
 * shapes. It keeps subscriptions and checkouts, and every request that it was sent.
 */
export class FakePayments {
  readonly requests: RecordedRequest[] = [];
  readonly subscriptions = new Map<string, StoredSubscription>();
  readonly checkouts = new Map<string, "open" | "expired" | "complete">();
  /** Answer the next request, or the next of this method, with an error in place of what it asked for. */
  private failure: { status: number; error: object; method: string | undefined } | undefined;

  private constructor(readonly url: string) {}

  static async start(): Promise<FakePayments> {
    const server = createServer((request, response) => fake.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const fake = new FakePayments(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    atEndOfFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    return fake;
  }

  /** The lines of what was asked, in order. */
  get requestLines(): string[] {
    return this.requests.map(({ line }) => line);
  }

  addSubscription(id: string, customer: string, quantity: number, status = "active"): StoredSubscription {
    const held = {
      id,
      customer,
      status,
      quantity,
      cancel_at_period_end: false,
      cancel_at: null,
      metadata: {},
    };
    this.subscriptions.set(id, held);
    return held;
  }

  failNext(status: number, error: object, method?: string): void {
    this.failure = { status, error, method };
  }

  /** A held subscription as Stripe shows it. */
  show({ id, quantity, ...rest }: StoredSubscription): object {
    const item = { id: `si_${id}`, object: "subscription_item", quantity, current_period_end: PERIOD_END };
    const items = { object: "list", data: [item] };
    return { id, object: "subscription", created: CREATED, ...rest, items };
  }

  /** A completed checkout names what it was paid for: `sub_of_` and its own id. */
  private session(id: string): object {
    const status = this.checkouts.get(id);
    const subscription = status === "complete" ? `sub_of_${id}` : null;
    return { id, object: "checkout.session", status, subscription };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += chunk;
    const fields = Object.fromEntries(new URLSearchParams(text));
    const line = `${request.method} ${request.url}`;
    this.requests.push({ line, fields, headers: request.headers });
    const failure =
      this.failure?.method === (this.failure?.method && request.method) ? this.failure : undefined;
    if (failure) this.failure = undefined;
    const [status, body] = failure ? [failure.status, { error: failure.error }] : this.serve(line, fields);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  private serve(line: string, fields: Readonly<Record<string, string>>): [number, object] {
    if (line === "POST /v1/checkout/sessions") {
      const id = `cs_test_${this.checkouts.size + 1}`;
      this.checkouts.set(id, "open");
      return [200, { id, object: "checkout.session", url: `https://checkout.example.com/${id}` }];
    }
    if (line === "POST /v1/billing_portal/sessions") {
      const url = `https://portal.example.com/${fields.customer}`;
      return [200, { id: "bps_1", object: "billing_portal.session", url }];
    }
    const [, method, kind, id = "", action] = /^(\w+) \/v1\/([\w/]+?)\/(\w+?_\w+)(\/\w+)?$/.exec(line) ?? [];
    if (kind === "checkout/sessions" && action === "/expire" && this.checkouts.get(id) === "open") {
      this.checkouts.set(id, "expired");
      return [200, this.session(id)];
    }
    if (kind === "checkout/sessions" && method === "GET") return [200, this.session(id)];
    const held = kind === "subscriptions" ? this.subscriptions.get(id) : undefined;
    if (!held) return [404, { error: { type: "invalid_request_error", code: "resource_missing" } }];
    if (method === "POST") change(held, fields);
    if (method === "DELETE") held.status = "canceled";
    return [200, this.show(held)];
  }
}

function change(held: StoredSubscription, fields: Readonly<Record<string, string>>): void {
  if (fields["items[0][quantity]"]) held.quantity = Number(fields["items[0][quantity]"]);
  if (fields.cancel_at_period_end) held.cancel_at_period_end = fields.cancel_at_period_end === "true";
  if (fields.cancel_at === "") held.cancel_at = null;
  for (const [name, value] of Object.entries(fields)) {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    if (key) held.metadata[key] = value;
  }
}
