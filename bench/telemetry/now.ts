/** Tenths of a millisecond of the machine's monotonic clock, which all processes share; within an int32. */
export const machineNow = (): number => Number((process.hrtime.bigint() / 100_000n) % 2_000_000_000n);

/** A position's altitude carries the moment it was made: MAVLink's millimetres, the frame's metres. */
export const ageMs = (altitude: number): number => (machineNow() - Math.round(altitude * 1000)) / 10;

/** Runs `tick` at every multiple of the interval, each on its own time; a late timer makes up for what it missed. */
export function onSchedule(intervalMs: number, tick: (due: number) => void): void {
  const interval = intervalMs * 10;
  let due = machineNow() + interval;
  setInterval(() => {
    for (; due <= machineNow(); due += interval) tick(due);
  }, intervalMs);
}
