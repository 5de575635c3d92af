import { DomainError, isDomainError } from "../../../domain/errors";
import { isNoResponse } from "../no-response";
import { isSame, type PlanKind } from "./plan-kind";
import { PlanType, planOutcomeUnknown } from "./plan-protocol";
import type { PlanTransfer } from "./plan-transfer";
import type { WireItem } from "./wire-item.plan";

const names = { [PlanType.mission]: "plan", [PlanType.fence]: "fence" } as const;

/** Undefined when the vehicle refuses to give it back: a plan that it cannot read itself must not block the next. */
export async function planOnBoard(transfer: PlanTransfer, type: PlanType): Promise<WireItem[] | undefined> {
  try {
    return await transfer.reader.onBoard(type);
  } catch (error) {
    if (isDomainError(error) && error.code === "vehicle_refused") return undefined;
    throw error;
  }
}

/** What the vehicle holds after an upload. */
export async function readBack(transfer: PlanTransfer, type: PlanType): Promise<WireItem[]> {
  try {
    return await transfer.reader.receive(type);
  } catch (error) {
    throw isNoResponse(error) ? planOutcomeUnknown(type, error) : error;
  }
}

/** Throws the doubt rather than the differences when there is one: it is the vehicle's own word. */
export function assertSame(
  differences: readonly string[],
  what: string,
  doubt: DomainError | undefined,
): void {
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
export const leavesTheLink = ({ code, cause }: DomainError): boolean =>
  code === "vehicle_refused" ||
  code === "vehicle_timeout" ||
  (code === "transfer_failed" && !isNoResponse(cause));

interface PutBack {
  /** In words. */
  readonly onBoard: string;
  /** It is the plan that was there. */
  readonly isWhole: boolean;
}

/** Makes the plan `before` the one on board again, unless it still is. Rejects only with errors that are no `DomainError`. */
export async function putBack(
  transfer: PlanTransfer,
  kind: PlanKind,
  before: readonly WireItem[] | undefined,
): Promise<PutBack> {
  const { type, fromWire } = kind;
  const plan = `the ${names[type]} that was on board`;
  const mixture = (onBoard: string): PutBack => ({ onBoard, isWhole: false });
  try {
    const kept = await transfer.reader.receive(type);
    if (!before)
      return mixture(`${plan} could not be read before; now it holds ${counted(kept)}, maybe a mixture`);
    const isThere = (items: readonly WireItem[]) => isSame(kind, fromWire(before), fromWire(items));
    if (isThere(kept)) return { onBoard: `${plan} is still there`, isWhole: true };
    await transfer.send(before, kind);
    const now = await transfer.reader.receive(type);
    if (isThere(now)) return { onBoard: `${plan} is restored`, isWhole: true };
    return mixture(
      `${plan} could not be put back: now it holds ${counted(now)}, a mixture. Do not fly it; upload again`,
    );
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return mixture(
      `${plan} could not be put back (${error.message}); the vehicle may now hold a mixture. Do not fly it; upload again`,
    );
  }
}

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? "1 item" : `${length} items`);
