import { DomainError } from "../domain/errors";

/** Lets so many tasks run at a time, in the order in which they came. */
export class Semaphore {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly permits: number) {}

  /** Tasks that wait for a permit. */
  get waiting(): number {
    return this.queue.length;
  }

  get isIdle(): boolean {
    return this.running === 0;
  }

  /** Resolves, when it is this task's turn, with the function that ends the turn. Call that once. */
  async acquire(): Promise<() => void> {
    if (this.running < this.permits) this.running += 1;
    else await new Promise<void>((resolve) => this.queue.push(resolve));
    return () => {
      const next = this.queue.shift();
      if (next) next();
      else this.running -= 1;
    };
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    return holding(this.acquire(), task);
  }
}

/** Lets one task run at a time per key, in the order in which they came. */
export class KeyedMutex<Key> {
  private readonly locks = new Map<Key, Semaphore>();

  /** Resolves with the function that releases the key. Call that once. */
  async acquire(key: Key): Promise<() => void> {
    const lock = this.locks.get(key) ?? new Semaphore(1);
    this.locks.set(key, lock);
    const release = await lock.acquire();
    return () => {
      release();
      if (lock.isIdle) this.locks.delete(key);
    };
  }

  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    return holding(this.acquire(key), task);
  }

  /** As `run`, unless so many tasks wait for the key already: rejects with `too_many_requests` then. */
  async runUnlessFull<T>(
    key: Key,
    full: { readonly maxWaiting: number; readonly message: string },
    task: () => Promise<T>,
  ): Promise<T> {
    if ((this.locks.get(key)?.waiting ?? 0) >= full.maxWaiting)
      throw new DomainError("too_many_requests", full.message, { retryAfterSeconds: 10 });
    return this.run(key, task);
  }
}

async function holding<T>(turn: Promise<() => void>, task: () => Promise<T>): Promise<T> {
  const release = await turn;
  try {
    return await task();
  } finally {
    release();
  }
}
