import { writeSync } from "node:fs";
import { type Fault, runFaults } from "./run";
import { faultTable } from "./table";

const neighbours = ["Postgres", "Redis", "store", "jumphost"];
const replicas = ["gateway", "relay", "worker", "tunnel"].flatMap((name) => [`${name} 1`, `${name} 2`]);
const harms = ["kill", "pause", "partition"] as const;
/** `FAULTS=kill:Redis,pause:gateway 1` runs these only. */
const chosen = process.env.FAULTS?.split(",").map((text) => text.split(":") as [Fault["harm"], string]);
const every = [...neighbours, ...replicas].flatMap((part) => harms.map((harm) => [harm, part] as const));
/** Their connections stay silent for good, as when a machine lost its power and another took its place. */
const failovers = ["Redis", "Postgres", "store", "jumphost"].map((part) => ["failover", part] as const);
const faults = (chosen ?? [...every, ...failovers]).map(([harm, part]) => ({ harm, part }));

test("a deployment of two of each loses nothing, repeats nothing and recovers by itself, whatever is harmed", async () => {
  const run = await runFaults(faults);
  writeSync(1, `\n${faultTable(run)}\n\n${run.findings.map((one) => JSON.stringify(one)).join("\n")}\n`);
  expect(run.unrecovered).toEqual([]);
  const promised = ["lost", "duplicated", "out of order"];
  expect(run.findings.filter(({ flaw }) => promised.includes(flaw))).toEqual([]);
}, 1_200_000);
