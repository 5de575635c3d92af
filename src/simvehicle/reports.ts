/** Messages that a vehicle sends on an event: status texts, reached mission items, a changed home. */
export interface Reports {
  /** STATUSTEXT. */
  text(severity: Severity, text: string): void;
  /** MISSION_ITEM_REACHED, numbered as on the wire. */
  itemReached(seq: number): void;
  homeChanged(): void;
}

/** MAV_SEVERITY. */
export const Severity = {
  emergency: 0,
  alert: 1,
  critical: 2,
  error: 3,
  warning: 4,
  notice: 5,
  info: 6,
  debug: 7,
} as const;
export type Severity = (typeof Severity)[keyof typeof Severity];
