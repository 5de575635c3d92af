import { common } from "../vehicle/mavlink/wire/messages";

/** Messages that a vehicle sends on an event: status texts, reached mission items, a changed home. */
export interface Reports {
  /** STATUSTEXT. */
  text(severity: Severity, text: string): void;
  /** EVENT of PX4: its number, the level for logs and for others, its arguments. */
  event(id: number, level: number, args: Buffer): void;
  /** MISSION_ITEM_REACHED, numbered as on the wire. */
  itemReached(seq: number): void;
  homeChanged(): void;
}

export const Severity = common.MavSeverity;
export type Severity = common.MavSeverity;
