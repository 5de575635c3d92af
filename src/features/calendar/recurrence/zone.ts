/** A time zone of the IANA database: local times as milliseconds of their digits read as UTC. */
export interface Zone {
  toLocal(instant: number): number;
  /**
   * A local time that a clock shows twice is the first of the two; one that is skipped is read with the
   * offset before the gap (RFC 5545, section 3.3.5).
   */
  toInstant(local: number): number;
}

export const utc: Zone = { toLocal: (instant) => instant, toInstant: (local) => local };

const DAY = 86_400_000;

/** Undefined when there is no such zone. */
export function findZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
  } catch {
    return undefined;
  }
  const toLocal = (instant: number): number => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, +value]));
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offsetAt = (instant: number) => toLocal(instant) - instant;
  return {
    toLocal,
    toInstant(local) {
      const before = offsetAt(local - DAY);
      const after = offsetAt(local + DAY);
      const isOffset = (offset: number) => offsetAt(local - offset) === offset;
      return isOffset(before) || !isOffset(after) ? local - before : local - after;
    },
  };
}
