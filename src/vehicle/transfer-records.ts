import type { MissionItem } from "../domain/mission-item";

/** A plan on its way to a vehicle. Neither plan has ArduPilot's item for home. */
export interface PlanTransfer {
  readonly kind: "mission" | "fence";
  /** The stored mission that is sent. */
  readonly missionId?: number | undefined;
  /** What was on board; undefined when the vehicle did not give it back. */
  readonly before: readonly MissionItem[] | undefined;
  readonly sent: readonly MissionItem[];
}

export interface UnfinishedTransfer extends PlanTransfer {
  readonly id: string;
}

/**
 * One drone's transfers of plans, each on record before anything is sent: ArduPilot stores items as they come, so a
 * gateway or a link that ends in the middle leaves a mixture, which the drone's next link puts right.
 */
export interface TransferRecords {
  /** Returns the record's id. A rejection keeps the plan from being sent. */
  begin(transfer: PlanTransfer): Promise<string>;
  /** The vehicle holds one plan whole: `verified`, the sent one as it was read back, or else another. Never rejects. */
  end(id: string, verified?: readonly MissionItem[]): Promise<void>;
  /** Those that were begun and did not end, the newest first. */
  unfinished(): Promise<UnfinishedTransfer[]>;
}

export const NO_RECORDS: TransferRecords = {
  begin: async () => "",
  end: async () => {},
  unfinished: async () => [],
};
