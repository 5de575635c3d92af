/** The first NAL unit of each frame (ITU-T H.264, 7.4.1.2.3): a start code and an access unit delimiter. */
const DELIMITER = Buffer.from([0, 0, 0, 1, 9]);
const START_CODE = Buffer.from([0, 0, 1]);
const DELIMITER_TYPE = 9;
const SEI_TYPE = 6;

/** Cuts a byte stream of H.264 (Annex B), whose frames begin with delimiters, into frames. */
export class AccessUnits {
  private rest = Buffer.alloc(0);

  /** The frames that are complete now, each as the NAL units that a decoder needs. */
  push(bytes: Buffer): Buffer[][] {
    this.rest = Buffer.concat([this.rest, bytes]);
    const frames: Buffer[][] = [];
    for (;;) {
      const next = this.rest.indexOf(DELIMITER, DELIMITER.length);
      if (next < 0) return frames;
      frames.push(nalUnitsOf(this.rest.subarray(0, next)));
      this.rest = this.rest.subarray(next);
    }
  }
}

const typeOf = (nalUnit: Buffer): number => (nalUnit[0] ?? 0) & 0x1f;

function nalUnitsOf(frame: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let start = frame.indexOf(START_CODE);
  while (start >= 0) {
    const next = frame.indexOf(START_CODE, start + START_CODE.length);
    // A start code may have one zero more in front.
    const end = next < 0 ? frame.length : frame[next - 1] === 0 ? next - 1 : next;
    units.push(frame.subarray(start + START_CODE.length, end));
    start = next;
  }
  return units.filter((unit) => typeOf(unit) !== DELIMITER_TYPE && typeOf(unit) !== SEI_TYPE);
}

/** Bytes of a payload, so that a packet fits any network. */
const MAX_PAYLOAD = 1_150;
const FU_A = 28;

/** RTP payloads (RFC 6184) of a frame: one for each NAL unit, or fragments (FU-A) of a long one. */
export const payloadsOf = (nalUnits: readonly Buffer[]): Buffer[] =>
  nalUnits.flatMap((unit) => (unit.length <= MAX_PAYLOAD ? [unit] : fragmentsOf(unit)));

function fragmentsOf(unit: Buffer): Buffer[] {
  const indicator = ((unit[0] ?? 0) & 0xe0) | FU_A;
  const fragments: Buffer[] = [];
  for (let at = 1; at < unit.length; at += MAX_PAYLOAD) {
    const part = unit.subarray(at, at + MAX_PAYLOAD);
    const isFirst = at === 1 ? 0x80 : 0;
    const isLast = at + MAX_PAYLOAD >= unit.length ? 0x40 : 0;
    fragments.push(Buffer.concat([Buffer.from([indicator, isFirst | isLast | typeOf(unit)]), part]));
  }
  return fragments;
}
