import { serveFake } from "./http-server";

const codes = { pending: 0, running: 16, stopping: 64, stopped: 80 } as const;
type State = keyof typeof codes;

/** A fake of EC2's query API that keeps one instance's state. It stays in `pending` and `stopping` until `settle`. */
export class FakeEc2 {
  state: State = "stopped";
  launched = new Date("2027-01-01T00:00:00Z");
  /** Every action asked for, in order. */
  readonly asked: string[] = [];

  private constructor(readonly instanceId: string) {}

  static async listening(instanceId: string): Promise<FakeEc2 & { url: string }> {
    const fake = new FakeEc2(instanceId);
    const url = await serveFake((_request, text) => ({
      ...fake.answer(new URLSearchParams(text)),
      type: "text/xml",
    }));
    return Object.assign(fake, { url });
  }

  settle(): void {
    if (this.state === "pending") this.state = "running";
    if (this.state === "stopping") this.state = "stopped";
  }

  private answer(form: URLSearchParams): { status: number; body: string } {
    const action = form.get("Action") ?? "";
    this.asked.push(action);
    if (form.get("InstanceId.1") !== this.instanceId) {
      const error =
        "<Error><Code>InvalidInstanceID.NotFound</Code><Message>No such instance</Message></Error>";
      return { status: 400, body: `<Response><Errors>${error}</Errors></Response>` };
    }
    if (action === "StartInstances" && this.state === "stopped") this.state = "pending";
    if (action === "StopInstances" && this.state === "running") this.state = "stopping";
    const state = `<code>${codes[this.state]}</code><name>${this.state}</name>`;
    const item = `<item><instanceId>${this.instanceId}</instanceId>`;
    const inner =
      action === "DescribeInstances"
        ? `<reservationSet><item><instancesSet>${item}<instanceState>${state}</instanceState>${this.addresses()}<launchTime>${this.launched.toISOString()}</launchTime></item></instancesSet></item></reservationSet>`
        : `<instancesSet>${item}<currentState>${state}</currentState></item></instancesSet>`;
    return { status: 200, body: `<${action}Response>${inner}</${action}Response>` };
  }

  private addresses(): string {
    const inside = "<privateIpAddress>10.0.0.7</privateIpAddress>";
    return this.state === "running" ? `${inside}<ipAddress>203.0.113.7</ipAddress>` : inside;
  }
}
