import { claimsNothing, contradiction } from "./contradiction";
import { giveOrder } from "./orders";
import type { TestedVehicle } from "./tested-vehicle";

/** Two exchanges of an order, each at its longest. */
export const ORDER_LIMIT_MS = 12_000;
/** A plan down, up and back, and one in its place when it is refused. */
export const TRANSFER_LIMIT_MS = 60_000;

/** What makes a link bad, by name; `on` begins and ends it. */
export const BAD_LINKS: readonly [name: string, disturb: (vehicle: TestedVehicle, on: boolean) => void][] = [
  ["5 % of the frames lost each way", ({ autopilot }, on) => autopilot.loss(on ? 5 : 0)],
  ["250 ms of delay each way", ({ autopilot }, on) => autopilot.delay(on ? 250 : 0)],
];

/** The gateway's link to a vehicle, which is bad while something is asked over it. */
export class BadLink {
  constructor(
    private readonly vehicle: TestedVehicle,
    private readonly disturb: (vehicle: TestedVehicle, on: boolean) => void,
  ) {}

  /** What the work returns, and how long it took. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
    const begun = performance.now();
    this.disturb(this.vehicle, true);
    try {
      return { result: await work(), ms: performance.now() - begun };
    } finally {
      this.disturb(this.vehicle, false);
    }
  }

  /** An order, which must end in time and which the vehicle must not contradict. */
  async give(path: string, body: Record<string, unknown>, limitMs: number) {
    const { vehicle } = this;
    let took = 0;
    const order: TestedVehicle["order"] = async (...ordered) => {
      const { result, ms } = await this.during(() => vehicle.order(...ordered));
      took = ms;
      return result;
    };
    const given = await giveOrder({ ...vehicle, order }, path, body, (each) =>
      contradiction(each, vehicle.name),
    );
    expect(contradiction(given, vehicle.name)).toBeUndefined();
    expect(took).toBeLessThan(limitMs);
    return given;
  }

  /** As `give`, for an order that succeeds, or whose answer was lost: then it is given again on a good link. */
  async obeyed(path: string, body: Record<string, unknown> = {}, limitMs = ORDER_LIMIT_MS): Promise<void> {
    const given = await this.give(path, body, limitMs);
    const { status, message } = claimsNothing(given) ? await this.again(path, body) : given;
    expect([path, status, message]).toEqual([path, 200, message]);
  }

  /** A vehicle that took off is in the air. */
  private async again(path: string, body: Record<string, unknown>) {
    const { status, body: reply } = await this.vehicle.order(path, body);
    const message = JSON.stringify(reply);
    return { status: /already in the air/.test(message) ? 200 : status, message };
  }
}
