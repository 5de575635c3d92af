import { writeSync } from "node:fs";
import { asRoot } from "../namespaces";
import { FORBIDDEN_FINDINGS } from "./findings";
import { type Fault, runFaults } from "./run";
import { faultTable } from "./table";
import { isTakenOver } from "./takeovers";

const backends = ["Postgres", "Redis", "store", "jumphost"];
const replicas = ["gateway", "relay", "worker", "tunnel"].map((name) => [`${name} 1`, `${name} 2`]);
const faultKinds = ["kill", "pause", "partition"] as const;
/** `FAULTS=kill:Redis,pause:gateway 1` runs these only. */
const chosen = process.env.FAULTS?.split(",").map((text) => text.split(":") as [Fault["kind"], string]);
const every = [
  ...backends.flatMap((target) => [...faultKinds, "loss" as const].map((kind) => [kind, target] as const)),
  ...replicas.flatMap((pair) => faultKinds.flatMap((kind) => pair.map((target) => [kind, target] as const))),
];
/** Existing connections stay silent for good, as when another machine takes over after a power loss. */
const failovers = ["Redis", "Postgres", "store", "jumphost"].map((target) => ["failover", target] as const);
const faults = (chosen ?? [...every, ...failovers]).map(([kind, target]) => ({ kind, target }));

asRoot(
  "a deployment with two replicas of each service loses nothing, repeats nothing and recovers from every fault",
  async () => {
    const run = await runFaults(faults);
    writeSync(1, `\n${faultTable(run)}\n\n${run.findings.map((one) => JSON.stringify(one)).join("\n")}\n`);
    expect(run.unrecovered).toEqual([]);
    expect(run.findings.filter(({ type }) => FORBIDDEN_FINDINGS.includes(type))).toEqual([]);
    expect(run.takeovers.filter((one) => !isTakenOver(one))).toEqual([]);
    for (const { kind, target } of faults) {
      if (["kill", "loss"].includes(kind) || !/^(gateway|tunnel)/.test(target)) continue;
      expect(run.takeovers.map(({ fault }) => fault)).toContain(`${kind} ${target}`);
    }
  },
  1_200_000,
);
