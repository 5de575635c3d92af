/** Which messages are due, each so many times a second of the vehicle's own time. */
export class Rates<Name extends string> {
  private readonly due = new Map<Name, number>();

  constructor(private readonly hertz: Readonly<Record<Name, number>>) {}

  /** All are due. */
  restart(): void {
    this.due.clear();
  }

  /** `time` in seconds. */
  isDue(name: Name, time: number): boolean {
    const at = this.due.get(name) ?? time;
    if (time < at) return false;
    const interval = 1 / this.hertz[name];
    this.due.set(name, Math.max(at + interval, time - interval));
    return true;
  }
}
