/**
 * Reads the same thing for several callers: one reading at a time per key. A caller that asks during a reading gets the
 * next one, together with all callers until that begins. So no caller gets a value that was read before it asked.
 */
export class SharedReads<Key, Value> {
  private readonly current = new Map<Key, Promise<Value>>();
  private readonly next = new Map<Key, Promise<Value>>();

  read(key: Key, read: () => Promise<Value>): Promise<Value> {
    const waiting = this.next.get(key);
    if (waiting) return waiting;
    const current = this.current.get(key);
    if (!current) return this.begin(key, read);
    const begin = () => {
      this.next.delete(key);
      return this.begin(key, read);
    };
    const next = current.then(begin, begin);
    this.next.set(key, next);
    return next;
  }

  private begin(key: Key, read: () => Promise<Value>): Promise<Value> {
    const reading = read();
    this.current.set(key, reading);
    const end = () => {
      if (this.current.get(key) === reading) this.current.delete(key);
    };
    reading.then(end, end);
    return reading;
  }
}
