import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** CPU seconds of a process, of those it started, and of theirs, the ended ones included; without one program. */
export function treeCpuSeconds(pid: number, without: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  if (stat.slice(stat.indexOf("(") + 1, end) === without) return 0;
  const own = stat
    .slice(end + 2)
    .split(" ")
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.reduce(
    (sum, child) => sum + treeCpuSeconds(Number(child), without),
    own / TICKS_PER_SECOND,
  );
}
