/** Thrown where a process would have died. */
export class Killed extends Error {}

/**
 * Stands in for the death of a process at a chosen step. A step is a call of anything that was doomed: a
 * statement or a whole transaction of the database, an operation of the store, a mail. The step at which it dies
 * is not done, and none after it is, whatever the dying code still tries.
 */
export class Doom {
  private steps = 0;
  private dead = false;
  /** What was done, and the step that was not. */
  readonly trace: string[] = [];

  constructor(private readonly dieAtStep: number) {}

  get struck(): boolean {
    return this.dead;
  }

  /** The same thing, of which each call is a step. */
  on<Target extends object>(target: Target, name: string): Target {
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
      this.dead = this.steps === this.dieAtStep;
    }
    if (this.dead) throw new Killed(`killed before step ${this.dieAtStep}, ${what}`);
  }
}
