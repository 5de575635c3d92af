import type { Db } from "../../../../platform/postgres/db";
import type { VehicleTap } from "../../../vehicle-tap";
import type { Finding, FindingType, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { ask, describeAnswer, isStatus } from "./client";
import { repeatEvery } from "./repeat";

const MOTOR_TEST = 209;
const EVERY_MS = 200;

/** A disarmed drone that is dialled through its tap. */
interface CommandTarget {
  readonly id: number;
  readonly tap: VehicleTap;
}

interface CommandLoadOptions {
  readonly gateways: readonly string[];
  readonly drones: readonly CommandTarget[];
  readonly authorization: () => string;
  readonly round: Round;
  readonly progress: Progress;
  readonly db: Db;
}

interface Order {
  readonly round: number;
  readonly drone: number;
  readonly percentage: number;
  /** As the client sees it. */
  outcome: "acknowledged" | "unknown" | "refused";
  answer: string;
}

/** Motor tests. Each has its own throttle, which identifies it at the vehicle and in the record. */
export class CommandLoad implements Load {
  readonly kind = "commands";
  private readonly orders: Order[] = [];
  private readonly repetitions;
  private counter = 0;

  constructor(private readonly options: CommandLoadOptions) {
    this.repetitions = options.gateways.map((url) => {
      options.progress.expect("commands", url);
      // Each gateway has its own counter: with a shared one a gateway might order the same drone for long.
      let turn = 0;
      return repeatEvery(EVERY_MS, () =>
        this.order(url, options.drones[turn++ % options.drones.length] as CommandTarget),
      );
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  private async order(url: string, drone: CommandTarget): Promise<void> {
    const { authorization, round, progress } = this.options;
    const order: Order = {
      round: round.current,
      drone: drone.id,
      percentage: this.counter++ / 1_000,
      outcome: "refused",
      answer: "",
    };
    this.orders.push(order);
    const answer = await ask(`${url}/api/v1/drone/action/motortest`, {
      headers: { authorization: authorization() },
      body: { drone_id: drone.id, motor_id: 1, percentage: order.percentage },
    });
    order.answer = describeAnswer(answer);
    if (isStatus(answer, 200)) {
      order.outcome = "acknowledged";
      progress.success("commands", url);
    } else if (
      ("failure" in answer && answer.failure === "lost") ||
      /may have (done|obeyed)/.test(order.answer)
    ) {
      order.outcome = "unknown";
    }
  }

  async result(): Promise<LoadResult> {
    const { db, drones } = this.options;
    const rows: { drone_id: number; parameters: { percentage: number }; outcome: string }[] = await db(
      "drone_commands",
    ).where({ command: "motortest" });
    const records = new Map(rows.map((row) => [row.parameters.percentage, row.outcome]));
    const done = new Map<string, number>();
    for (const { id, tap } of drones) {
      for (const { command, _param3 } of tap.commandLongs) {
        if (command !== MOTOR_TEST) continue;
        const name = nameOf(id, _param3 ?? 0);
        done.set(name, (done.get(name) ?? 0) + 1);
      }
    }
    const findings = this.orders.flatMap((order) => {
      const times = done.get(nameOf(order.drone, order.percentage)) ?? 0;
      return findingsOf(order, times, records.get(order.percentage)).map(
        (type): Finding => ({
          load: "commands",
          type,
          round: order.round,
          detail: `order ${order.percentage}: ${order.answer}; done ${times} times, on record as ${records.get(order.percentage) ?? "nothing"}`,
        }),
      );
    });
    for (const { id, tap } of drones) {
      if (tap.fromReplaced === 0) continue;
      const detail = `drone ${id} got messages over a replaced link ${tap.fromReplaced} times`;
      findings.push({ load: "commands", type: "admitted", round: 0, detail });
    }
    const acknowledged = this.orders.filter(({ outcome }) => outcome === "acknowledged").length;
    return { acknowledged, findings };
  }
}

/** Three decimals identify the throttle in spite of rounding to a float. */
const nameOf = (drone: number, percentage: number): string => `${drone} ${percentage.toFixed(3)}`;

function findingsOf({ outcome }: Order, times: number, record: string | undefined): FindingType[] {
  const types: FindingType[] = [];
  if (outcome === "acknowledged" && (times === 0 || record === undefined)) types.push("lost");
  if (times > 1) types.push("duplicated");
  if (times > 0 && record === undefined) types.push("lost");
  if (outcome === "unknown") types.push("unknown");
  if (outcome === "refused" && times > 0) types.push("denied");
  return types;
}
