import { Counter, Gauge, type Registry } from "../../platform/process/metrics";
import type { Direction, PipeEnd } from "./pipe";
import type { RefusalReason } from "./refusal";

export interface JumphostMetrics {
  carried(direction: Direction, bytes: number): void;
  refused(reason: RefusalReason): void;
  ended(reason: PipeEnd): void;
}

export function jumphostMetrics(registry: Registry, pipes: () => number): JumphostMetrics {
  const registers = [registry];
  new Gauge({
    name: "fleet_jumphost_pipes",
    help: "Pipes between gateways and vehicles that are open now.",
    registers,
    collect() {
      this.set(pipes());
    },
  });
  const bytes = new Counter({
    name: "fleet_jumphost_bytes_total",
    help: "Bytes carried, by direction.",
    labelNames: ["direction"],
    registers,
  });
  const refusals = new Counter({
    name: "fleet_jumphost_refusals_total",
    help: "Pipes that were not opened, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const ends = new Counter({
    name: "fleet_jumphost_pipes_closed_total",
    help: "Pipes that ended, by what ended them.",
    labelNames: ["reason"],
    registers,
  });
  return {
    carried: (direction, count) => bytes.inc({ direction }, count),
    refused: (reason) => refusals.inc({ reason }),
    ended: (reason) => ends.inc({ reason }),
  };
}
