import type { MissionItem } from "../../../domain/mission-item";
import type { TransferRecords, UnfinishedTransfer } from "../../transfer-records";
import { isMixture, isSame, type PlanKind } from "./plan-kind";
import type { PlanTransfer } from "./plan-transfer";

interface Vehicle {
  readonly transfer: PlanTransfer;
  readonly kinds: Readonly<Record<PlanKind["name"], PlanKind>>;
  readonly records: TransferRecords;
  /** The vehicle flies its mission, which must stay as it is. */
  readonly isFlown: () => boolean;
  /** The sent plan turns out to be on board. */
  readonly onSent: (kind: PlanKind, kept: readonly MissionItem[]) => Promise<void>;
}

/**
 * Transfers of a vehicle that broke off, in this process or in one that was killed. Each ends when the vehicle holds one
 * plan whole: the sent one, the one before, or one of another ground station's. Of a mixture the one before is put back.
 */
export class UnfinishedTransfers {
  /** Undefined: to be read. */
  private known: readonly UnfinishedTransfer[] | undefined;

  constructor(
    private readonly vehicle: Vehicle,
    /** The first reading, which began with the link. */
    private reading: Promise<readonly UnfinishedTransfer[]> | undefined,
  ) {}

  /** One may have been left since they were read. */
  changed(): void {
    this.known = undefined;
  }

  /** Whether one of this kind broke off. */
  hasAny({ name }: PlanKind): boolean {
    return (this.known ?? []).some(({ kind }) => kind === name);
  }

  /** Whether one of them left what is on board, of two plans a part. */
  left({ name }: PlanKind, kept: readonly MissionItem[]): boolean {
    return (this.known ?? []).some((transfer) => transfer.kind === name && this.isMixture(transfer, kept));
  }

  /** Finishes those that can be finished now. Never rejects: the others are tried again. */
  async finish(): Promise<void> {
    this.known ??= await (this.reading ?? this.vehicle.records.unfinished()).catch(() => undefined);
    this.reading = undefined;
    for (const transfer of this.known ?? []) {
      if (await this.finishes(transfer)) this.known = this.known?.filter((other) => other !== transfer);
    }
  }

  private async finishes(unfinished: UnfinishedTransfer): Promise<boolean> {
    const { transfer, kinds, records, isFlown, onSent } = this.vehicle;
    const { id, before, sent } = unfinished;
    const kind = kinds[unfinished.kind];
    try {
      const kept = kind.fromWire(await transfer.reader.receive(kind.type));
      if (isSame(kind, sent, kept)) {
        await onSent(kind, kept);
        await records.end(id, kept);
        return true;
      }
      if (before && this.isMixture(unfinished, kept)) {
        if (isFlown()) return false;
        await transfer.send(kind.toWire(before), kind);
        const now = kind.fromWire(await transfer.reader.receive(kind.type));
        if (!isSame(kind, before, now)) return false;
      }
      await records.end(id);
      return true;
    } catch {
      return false;
    }
  }

  private isMixture({ kind: name, before, sent }: UnfinishedTransfer, kept: readonly MissionItem[]): boolean {
    const kind = this.vehicle.kinds[name];
    if (!before || isSame(kind, before, kept) || isSame(kind, sent, kept)) return false;
    return isMixture(kind, before, sent, kept);
  }
}
