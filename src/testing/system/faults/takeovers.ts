import { until } from "../../until";
import type { Deployment } from "./deployment";
import type { Part } from "./part";
import type { Term } from "./terms";

/** On a machine that is busy with everything else. */
const TAKEOVER_LIMIT_MS = 15_000;

/** Something that only one may hold, whose holder was harmed for longer than its lease runs. */
export interface Takeover {
  readonly fault: string;
  readonly what: string;
  readonly before: Term;
  /** At the fault's end, when the former holder is about to wake. */
  readonly after: Term;
}

/** Whether another had it by then, under a higher number. */
export const isTakenOver = ({ before, after }: Takeover): boolean =>
  after.by !== undefined && after.by !== before.by && after.number > before.number;

/** Reads who holds what the part holds now; call what it returns before the fault is over, which waits for others to hold it. */
export async function watchTakeovers(
  { name }: Part,
  { terms }: Pick<Deployment, "terms">,
  linked: readonly number[],
): Promise<(fault: string) => Promise<Takeover[]>> {
  const seats = [
    { what: "the hub", read: async () => terms.ofHub() },
    ...linked.map((id) => ({ what: `the link of drone ${id}`, read: () => terms.ofLink(id) })),
  ];
  const now = await Promise.all(seats.map(async (seat) => ({ ...seat, before: await seat.read() })));
  const held = now.filter(({ before }) => before.by === name);
  return (fault) =>
    Promise.all(
      held.map(async ({ what, read, before }) => {
        const taken = async () => isTakenOver({ fault, what, before, after: await read() });
        // One that is never taken over is told of by the term that it still has.
        await until(taken, TAKEOVER_LIMIT_MS).catch(() => undefined);
        return { fault, what, before, after: await read() };
      }),
    );
}
