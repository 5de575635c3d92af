/**
 * CRC-16/MCRF4XX ("X.25" in MAVLink's texts), by table: the same sum as the library's bitwise `x25crc`, at
 * about a fifth of its cost.
 */
const TABLE = new Uint16Array(256).map((_, byte) => {
  const folded = (byte ^ (byte << 4)) & 0xff;
  return ((folded << 8) ^ (folded << 3) ^ (folded >> 4)) & 0xffff;
});

/** The checksum of `buffer[from, to)` followed by the message's CRC_EXTRA byte. */
export function frameCrc(buffer: Uint8Array, from: number, to: number, crcExtra: number): number {
  let crc = 0xffff;
  for (let at = from; at < to; at++) {
    crc = (crc >> 8) ^ (TABLE[(crc ^ buffer[at]!) & 0xff] as number);
  }
  return (crc >> 8) ^ (TABLE[(crc ^ crcExtra) & 0xff] as number);
}
