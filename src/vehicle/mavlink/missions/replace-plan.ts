import { DomainError, isDomainError } from "../../../domain/errors";
import { type MissionItem, rowName } from "../../../domain/mission-item";
import type { TransferRecords } from "../../transfer-records";
import { isNoResponse } from "../no-response";
import { isSame, type PlanKind } from "./plan-kind";
import { PlanType, planOutcomeUnknown } from "./plan-protocol";
import type { PlanTransfer } from "./plan-transfer";
import type { WireItem } from "./wire-item.plan";

interface Replacement {
  readonly plan: readonly MissionItem[];
  /** The stored mission that it is. */
  readonly missionId?: number | undefined;
}

/**
 * Replaces a plan on the vehicle and reads it back. ArduPilot stores the items before a refused one, and keeps old ones
 * behind it: so the plan that was on board is read first and put back when the new one is refused, breaks off or
 * comes back different. The error then says what is on board.
 *
 * The transfer is on record from before the first item until the vehicle holds one plan whole.
 *
 * Rejects with `outcome_unknown` when the vehicle does not answer the reading back.
 */
export async function replacePlan(
  transfer: PlanTransfer,
  kind: PlanKind,
  { plan, missionId }: Replacement,
  records: TransferRecords,
): Promise<MissionItem[]> {
  const before = await planOnBoard(transfer, kind.type);
  const record = await records.begin({
    kind: kind.name,
    missionId,
    before: before && kind.fromWire(before),
    sent: plan,
  });
  try {
    const nameOf = (seq: number) => commandName(plan, seq - kind.ownItems);
    const doubt = await sendPlan(transfer, kind, kind.toWire(plan), nameOf);
    const kept = kind.fromWire(await readBack(transfer, kind.type));
    assertSame(kind.differences(plan, kept), kind.name, doubt);
    await records.end(record, kept);
    return kept;
  } catch (error) {
    if (!isDomainError(error) || !leavesTheLink(error)) throw error;
    const { onBoard, isWhole } = await putBack(transfer, kind, before);
    if (isWhole) await records.end(record);
    throw new DomainError(error.code, `${error.message}; ${onBoard}`, { cause: error });
  }
}

const names = { [PlanType.mission]: "plan", [PlanType.fence]: "fence" } as const;

const commandName = (plan: readonly MissionItem[], index: number): string | undefined => {
  const item = plan[index];
  return item && `${rowName(item, index)}, command ${item.command}`;
};

/** Undefined when the vehicle refuses to give it back: a plan that it cannot read itself must not block the next. */
async function planOnBoard(transfer: PlanTransfer, type: PlanType): Promise<WireItem[] | undefined> {
  try {
    return await transfer.reader.onBoard(type);
  } catch (error) {
    if (isDomainError(error) && error.code === "vehicle_refused") return undefined;
    throw error;
  }
}

/** Returns a refusal of which only reading back can tell whether it is one; see `PlanTransfer.send`. */
export async function sendPlan(
  transfer: PlanTransfer,
  { type, ownItems }: PlanKind,
  items: readonly WireItem[],
  nameOf: (seq: number) => string | undefined = () => undefined,
): Promise<DomainError | undefined> {
  if (items.length > ownItems) return transfer.send(items, type, nameOf);
  await transfer.clear(type);
  return undefined;
}

/** What the vehicle holds after an upload. */
async function readBack(transfer: PlanTransfer, type: PlanType): Promise<WireItem[]> {
  try {
    return await transfer.reader.receive(type);
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

interface PutBack {
  /** In words. */
  readonly onBoard: string;
  /** It is the plan that was there. */
  readonly isWhole: boolean;
}

async function putBack(
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
    await sendPlan(transfer, kind, before);
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
