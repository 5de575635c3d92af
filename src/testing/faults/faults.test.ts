import { type Fault, runFaults } from "./run";
import { faultTable } from "./table";

/** One of each harm, and one of each sort of part; `npm run test:faults` tries all. */
const faults: readonly Fault[] = [
  { harm: "kill", part: "Postgres" },
  { harm: "kill", part: "Redis" },
  { harm: "pause", part: "gateway 1" },
  { harm: "partition", part: "relay 1" },
  { harm: "kill", part: "worker 1" },
];

test("two of each lose nothing, repeat nothing and recover by themselves from a few faults", async () => {
  const run = await runFaults(faults);
  expect(run.unrecovered).toEqual([]);
  const broken = run.findings.filter(({ flaw }) => flaw !== "unknown");
  expect({ broken, table: broken.length > 0 && faultTable(run) }).toEqual({ broken: [], table: false });
  for (const [kind, count] of Object.entries(run.acknowledged)) {
    if (count < 10) throw new Error(`There were only ${count} ${kind}: nothing was tried.`);
  }
}, 180_000);
