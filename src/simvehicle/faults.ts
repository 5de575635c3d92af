/** What goes wrong on purpose. All of it may be changed while the vehicle flies. */
export interface Faults {
  /** Percent of frames from the vehicle that never arrive, and of frames to it. */
  loseSent: number;
  loseReceived: number;
  /** Milliseconds by which each frame from and to the vehicle comes late. */
  delaySent: number;
  delayReceived: number;
  /** Percent of frames from and to the vehicle that come twice. */
  duplicateSent: number;
  duplicateReceived: number;
  /** Refuse arming with this reason; empty: none. */
  refuseArming: string;
  /** Drop the connection, once, when this many more mission items have come or gone; undefined: never. */
  dropAfterItems: number | undefined;
  /** Keep the connection and say nothing at all, as behind a dead radio. */
  silent: boolean;
  /** Receive and fly, but acknowledge no command. */
  withholdAcknowledgements: boolean;
  /** No position: a position mode and arming in it are refused. */
  noPosition: boolean;
}

export const noFaults = (): Faults => ({
  loseSent: 0,
  loseReceived: 0,
  delaySent: 0,
  delayReceived: 0,
  duplicateSent: 0,
  duplicateReceived: 0,
  refuseArming: "",
  dropAfterItems: undefined,
  silent: false,
  withholdAcknowledgements: false,
  noPosition: false,
});
