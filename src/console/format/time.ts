/** `3 s`, `4 min`, `2 h`, `5 d`: whole units, the largest that fits. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `1:02:03` or `4:05`, of a flight. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/** `14:03:59`, in the browser's time zone, of a date or of milliseconds since 1970. */
export const localTimeOfDay = (at: Date | number): string => timeOfDay.format(at);

/** In the browser's time zone, as its language writes it. */
export const localTime = (iso: string | Date): string => dateAndTime.format(new Date(iso));

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** The date alone, in the browser's time zone. */
export const localDate = (iso: string | Date): string => date.format(new Date(iso));

/** The browser's time zone, such as `Europe/Zurich`. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
