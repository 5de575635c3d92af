/** Thrown at the step where the process is killed, and at every later one. */
export class KilledError extends Error {}

/**
 * Simulates that a process is killed at a chosen step. A step is a call of an intercepted object: a
 * statement or a whole transaction of the database, an operation of the store, a mail. The step at which it dies
 * is not done, and no later step is, whatever the code still tries.
 */
export class KilledProcess {
  private steps = 0;
  private dead = false;
  /** The steps that were done, and the step that was not. */
  readonly trace: string[] = [];

  constructor(private readonly killedAtStep: number) {}

  get isKilled(): boolean {
    return this.dead;
  }

  /** A proxy of the target whose calls are steps. */
  intercept<Target extends object>(target: Target, name: string): Target {
    return new Proxy(target, {
      get: (_target, key) => {
        const member = Reflect.get(target, key, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          this.step(`${name}.${String(key)}`);
          return member.apply(target, args);
        };
      },
      apply: (_target, self, args) => {
        this.step(`${name} ${String(args[0])}`);
        return Reflect.apply(target as never, self, args);
      },
    });
  }

  private step(what: string): void {
    if (!this.dead) {
      this.steps++;
      this.trace.push(what);
      this.dead = this.steps === this.killedAtStep;
    }
    if (this.dead) throw new KilledError(`killed before step ${this.killedAtStep}, ${what}`);
  }
}
