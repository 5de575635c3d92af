import type { MissionItem } from "../../domain/mission-item";
import type { PlanTransfer, TransferRecords, UnfinishedTransfer } from "../../vehicle";

/** Records of transfers in memory, of one vehicle. */
export class FakeTransferRecords implements TransferRecords {
  /** Begun and not ended, the newest first. */
  transfers: UnfinishedTransfer[] = [];
  /** The plans that were read back, in the order of their ends. */
  readonly verified: (readonly MissionItem[])[] = [];
  private begun = 0;

  async begin(transfer: PlanTransfer): Promise<string> {
    this.begun += 1;
    const id = String(this.begun);
    this.transfers = [{ id, ...transfer }, ...this.transfers];
    return id;
  }

  async end(id: string, verified?: readonly MissionItem[]): Promise<void> {
    this.transfers = this.transfers.filter((transfer) => transfer.id !== id);
    if (verified) this.verified.push(verified);
  }

  async unfinished(): Promise<UnfinishedTransfer[]> {
    return this.transfers;
  }
}
