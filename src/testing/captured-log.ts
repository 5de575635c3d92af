/** A process's log, kept in memory: every line as it was written. */
export class CapturedLog {
  private readonly lines: string[] = [];

  /** As a destination of `createLogger`. */
  write(line: string): void {
    this.lines.push(line);
  }

  get text(): string {
    return this.lines.join("");
  }

  /** Its entries with this message, oldest first. */
  entries(message: string): Readonly<Record<string, unknown>>[] {
    return this.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  }
}
