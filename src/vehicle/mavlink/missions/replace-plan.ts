import { DomainError, isDomainError } from "../../../domain/errors";
import { isNoResponse } from "../no-response";
import { type PlanTransfer, PlanType, planOutcomeUnknown } from "./plan-transfer";
import type { WireItem } from "./wire-item.plan";

interface PlanKind {
  readonly type: PlanType;
  /** How a refusal names the item of a number on the wire. */
  readonly nameOf: (seq: number) => string | undefined;
  /** Items that the vehicle itself keeps before a plan. */
  readonly ownItems: number;
  /** Whether the vehicle holds the plan `before` again. */
  readonly isSame: (before: readonly WireItem[], kept: readonly WireItem[]) => boolean;
}

interface Replacement<T> extends PlanKind {
  readonly items: readonly WireItem[];
  /** The plan that came back. */
  readonly read: (kept: readonly WireItem[]) => T;
  /** What of it is not as it was sent, a line each. */
  readonly differences: (read: T) => readonly string[];
}

/**
 * Replaces a plan on the vehicle and reads it back. ArduPilot stores the items before a refused one, and keeps old ones
 * behind it: so the plan that was on board is read first and put back when the new one is refused, breaks off or
 * comes back different. The error then says what is on board.
 *
 * Rejects with `outcome_unknown` when the vehicle does not answer the reading back.
 */
export async function replacePlan<T>(transfer: PlanTransfer, replacement: Replacement<T>): Promise<T> {
  const { type, read, differences } = replacement;
  const before = await planOnBoard(transfer, type);
  try {
    const doubt = await send(transfer, replacement, replacement.items);
    const kept = read(await readBack(transfer, type));
    assertSame(differences(kept), labels[type], doubt);
    return kept;
  } catch (error) {
    if (!isDomainError(error) || !leavesTheLink(error)) throw error;
    const onBoard = await putBack(transfer, replacement, before);
    throw new DomainError(error.code, `${error.message}; ${onBoard}`, { cause: error });
  }
}

const labels = { [PlanType.mission]: "mission", [PlanType.fence]: "fence" } as const;
const names = { [PlanType.mission]: "plan", [PlanType.fence]: "fence" } as const;

/** Undefined when the vehicle refuses to give it back: a plan that it cannot read itself must not block the next. */
async function planOnBoard(transfer: PlanTransfer, type: PlanType): Promise<WireItem[] | undefined> {
  try {
    return await transfer.onBoard(type);
  } catch (error) {
    if (isDomainError(error) && error.code === "vehicle_refused") return undefined;
    throw error;
  }
}

async function send(
  transfer: PlanTransfer,
  { type, nameOf, ownItems }: Omit<PlanKind, "isSame">,
  items: readonly WireItem[],
): Promise<DomainError | undefined> {
  if (items.length > ownItems) return transfer.send(items, type, nameOf);
  await transfer.clear(type);
  return undefined;
}

/** What the vehicle holds after an upload. */
async function readBack(transfer: PlanTransfer, type: PlanType): Promise<WireItem[]> {
  try {
    return await transfer.receive(type);
  } catch (error) {
    throw isNoResponse(error) ? planOutcomeUnknown(type, error) : error;
  }
}

/** Throws the doubt rather than the differences when there is one: it is the vehicle's own word. */
function assertSame(differences: readonly string[], what: string, doubt: DomainError | undefined): void {
  if (differences.length === 0) return;
  if (doubt) throw doubt;
  const shown = differences.slice(0, 5).join("; ");
  const more = differences.length > 5 ? ` (and ${differences.length - 5} more)` : "";
  throw new DomainError(
    "transfer_failed",
    `The ${what} did not read back from the vehicle as it was sent: ${shown}${more}`,
  );
}

/** After it, the vehicle can still be asked what it holds. */
const leavesTheLink = ({ code, cause }: DomainError): boolean =>
  code === "vehicle_refused" ||
  code === "vehicle_timeout" ||
  (code === "transfer_failed" && !isNoResponse(cause));

/** Says in words what the vehicle holds now. */
async function putBack(
  transfer: PlanTransfer,
  kind: PlanKind,
  before: readonly WireItem[] | undefined,
): Promise<string> {
  const { type, isSame } = kind;
  const plan = `the ${names[type]} that was on board`;
  try {
    const kept = await transfer.receive(type);
    if (!before) return `${plan} could not be read before; now it holds ${counted(kept)}, maybe a mixture`;
    if (isSame(before, kept)) return `${plan} is still there`;
    await send(transfer, { ...kind, nameOf: () => undefined }, before);
    const now = await transfer.receive(type);
    if (isSame(before, now)) return `${plan} is restored`;
    return `${plan} could not be put back: now it holds ${counted(now)}, a mixture. Do not fly it; upload again`;
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return `${plan} could not be put back (${error.message}); what it holds now may be a mixture. Do not fly it; upload again`;
  }
}

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? "1 item" : `${length} items`);
