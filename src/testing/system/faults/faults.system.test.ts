import { asRoot } from "../namespaces";
import { type Fault, runFaults } from "./run";
import { faultTable } from "./table";
import { isTakenOver } from "./takeovers";

/** Each kind of fault and each kind of process once; `npm run test:faults` tries all. */
const faults: readonly Fault[] = [
  { kind: "kill", target: "Postgres" },
  { kind: "kill", target: "Redis" },
  { kind: "pause", target: "gateway 1" },
  { kind: "partition", target: "relay 1" },
  { kind: "kill", target: "worker 1" },
];

asRoot(
  "a deployment with two replicas of each service loses nothing, repeats nothing and recovers from a few faults",
  async () => {
    const run = await runFaults(faults);
    expect(run.unrecovered).toEqual([]);
    const broken = run.findings.filter(({ type }) => type !== "unknown");
    expect({ broken, table: broken.length > 0 && faultTable(run) }).toEqual({ broken: [], table: false });
    // The links of both drones that are ordered about, and of the one that is watched.
    expect(run.takeovers.map(({ fault }) => fault)).toEqual(Array(3).fill("pause gateway 1"));
    expect(run.takeovers.filter((one) => !isTakenOver(one))).toEqual([]);
    for (const [kind, count] of Object.entries(run.acknowledged)) {
      if (count < 10) throw new Error(`There were only ${count} ${kind}: nothing was tried.`);
    }
  },
  // It takes a minute and a half on an idle machine.
  360_000,
);
