import { writeSync } from "node:fs";
import { asRoot } from "../namespaces";
import { NEVER } from "./findings";
import { type Fault, runFaults } from "./run";
import { faultTable } from "./table";
import { isTakenOver } from "./takeovers";

const neighbours = ["Postgres", "Redis", "store", "jumphost"];
const replicas = ["gateway", "relay", "worker", "tunnel"].map((name) => [`${name} 1`, `${name} 2`]);
const harms = ["kill", "pause", "partition"] as const;
/** `FAULTS=kill:Redis,pause:gateway 1` runs these only. */
const chosen = process.env.FAULTS?.split(",").map((text) => text.split(":") as [Fault["harm"], string]);
const every = [
  ...neighbours.flatMap((part) => [...harms, "loss" as const].map((harm) => [harm, part] as const)),
  ...replicas.flatMap((pair) => harms.flatMap((harm) => pair.map((part) => [harm, part] as const))),
];
/** Their connections stay silent for good, as when a machine lost its power and another took its place. */
const failovers = ["Redis", "Postgres", "store", "jumphost"].map((part) => ["failover", part] as const);
const faults = (chosen ?? [...every, ...failovers]).map(([harm, part]) => ({ harm, part }));

asRoot(
  "a deployment of two of each loses nothing, repeats nothing and recovers by itself, whatever is harmed",
  async () => {
    const run = await runFaults(faults);
    writeSync(1, `\n${faultTable(run)}\n\n${run.findings.map((one) => JSON.stringify(one)).join("\n")}\n`);
    expect(run.unrecovered).toEqual([]);
    expect(run.findings.filter(({ flaw }) => NEVER.includes(flaw))).toEqual([]);
    expect(run.takeovers.filter((one) => !isTakenOver(one))).toEqual([]);
    for (const { harm, part } of faults) {
      if (["kill", "loss"].includes(harm) || !/^(gateway|tunnel)/.test(part)) continue;
      expect(run.takeovers.map(({ fault }) => fault)).toContain(`${harm} ${part}`);
    }
  },
  1_200_000,
);
