import { until } from "../../until";
import type { Deployment } from "./deployment";
import type { FaultTarget } from "./fault-target";
import type { LeaseHolder } from "./lease-holders";

/** On a machine that is busy with everything else. */
const TAKEOVER_LIMIT_MS = 15_000;

/** A lease whose holder was paused or cut off for longer than the lease runs. */
export interface Takeover {
  readonly fault: string;
  readonly what: string;
  readonly before: LeaseHolder;
  /** At the fault's end, before the former holder returns. */
  readonly after: LeaseHolder;
}

/** Whether another holder had the lease by then, with a higher number. */
export const isTakenOver = ({ before, after }: Takeover): boolean =>
  after.by !== undefined && after.by !== before.by && after.number > before.number;

/** Reads the leases that the target holds. The returned function waits for other holders; call it before the fault ends. */
export async function watchTakeovers(
  { name }: FaultTarget,
  { leaseHolders }: Pick<Deployment, "leaseHolders">,
  linked: readonly number[],
): Promise<(fault: string) => Promise<Takeover[]>> {
  const seats = [
    { what: "the hub", read: async () => leaseHolders.ofHub() },
    ...linked.map((id) => ({ what: `the link of drone ${id}`, read: () => leaseHolders.ofLink(id) })),
  ];
  const now = await Promise.all(seats.map(async (seat) => ({ ...seat, before: await seat.read() })));
  const held = now.filter(({ before }) => before.by === name);
  return (fault) =>
    Promise.all(
      held.map(async ({ what, read, before }) => {
        // Without a takeover the result shows the unchanged holder.
        let after = before;
        const taken = async () => {
          after = await read();
          return isTakenOver({ fault, what, before, after });
        };
        await until(taken, TAKEOVER_LIMIT_MS).catch(() => undefined);
        return { fault, what, before, after };
      }),
    );
}
