import { setTimeout as delay } from "node:timers/promises";
import { atEndOfFile } from "../../../src/testing";
import { until } from "../../../src/testing/until";

import { core, namespace } from "../release";
import { Gap } from "./gap";

const MINUTE = 60_000;
/** A vehicle hears a heartbeat each second. */
const SERVED_MS = 1_500;

/** A client of the release that goes on until `signal` is aborted, and calls `answered` whenever it was served. */
export type Client = (answered: () => void, signal: AbortSignal) => Promise<void>;

/** Asks each `everyMs`, also while earlier attempts wait; one that rejects or resolves with false was not served. */
export const asking =
  (attempt: (signal: AbortSignal) => Promise<boolean>, everyMs: number): Client =>
  async (answered, ended) => {
    const waiting = new Set<Promise<void>>();
    while (!ended.aborted) {
      const limit = AbortSignal.any([ended, AbortSignal.timeout(2_000)]);
      const asked = attempt(limit).then(
        (served) => (served ? answered() : undefined),
        () => undefined,
      );
      waiting.add(asked);
      void asked.finally(() => waiting.delete(asked));
      await delay(everyMs);
    }
    await Promise.all(waiting);
  };

/** Looks each 50 ms; a change of what it sees is an answer. */
export const watching =
  (look: () => Promise<unknown>): Client =>
  async (answered, ended) => {
    const isOver = new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
    let last = await look();
    while (!ended.aborted) {
      const seen = await Promise.race([look(), isOver.then(() => last)]);
      if (seen !== last) answered();
      last = seen;
      await delay(50);
    }
  };

/** Connects again and again; `connect` resolves when the connection has ended. */
export const connecting =
  (connect: (answered: () => void, signal: AbortSignal) => Promise<void>, pauseMs: number): Client =>
  async (answered, ended) => {
    while (!ended.aborted) {
      // Of its own, so that what listens to it goes with the connection.
      await connect(answered, AbortSignal.any([ended])).catch(() => undefined);
      await delay(pauseMs);
    }
  };

/** How long each client of a release is not served while an operator works on it. */
export class Interruptions<Name extends string> {
  private readonly gaps = new Map<Name, Gap>();
  private readonly ended = new AbortController();
  private running: readonly Promise<void>[] = [];
  private readonly table: string[][];

  constructor(private readonly clients: Readonly<Record<Name, Client>>) {
    this.table = [["", ...Object.keys(clients), "total"]];
  }

  start(): void {
    this.running = (Object.entries(this.clients) as [Name, Client][]).map(([name, client]) => {
      const gap = new Gap();
      this.gaps.set(name, gap);
      return client(gap.answered, this.ended.signal);
    });
    atEndOfFile(() => this.stop());
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await Promise.all(this.running);
  }

  /** Resolves when every client was served a moment ago; the error names those that were not. */
  async allServed(limitMs = 2 * MINUTE): Promise<void> {
    await until(() => {
      const without = [...this.gaps].filter(([, { sinceMs }]) => sinceMs > SERVED_MS).map(([name]) => name);
      if (without.length > 0) throw new Error(`Not served: ${without.join(", ")}.`);
    }, limitMs);
  }

  /**
   * Runs `work`, and waits until no pod is about to end and every client is served. Resolves with the longest time
   * between two answers, in milliseconds.
   */
  async during(what: string, work: () => Promise<unknown>): Promise<Record<Name, number>> {
    await this.allServed();
    for (const gap of this.gaps.values()) gap.worstMs = 0;
    const began = performance.now();
    await work();
    const tookMs = performance.now() - began;
    await until(
      async () => {
        const { items } = await core.listNamespacedPod({ namespace });
        expect(items.filter(({ metadata }) => metadata?.deletionTimestamp)).toEqual([]);
      },
      2 * MINUTE,
      1_000,
    );
    await this.allServed();
    const worst = [...this.gaps].map(([name, { worstMs }]) => [name, Math.round(worstMs)] as const);
    const seconds = [...worst.map(([, ms]) => ms), tookMs].map((ms) => (ms / 1_000).toFixed(1));
    this.table.push([what, ...seconds]);
    process.stdout.write(`${what}: ${worst.map(([name, ms]) => `${name} ${ms} ms`).join(", ")}\n`);
    return Object.fromEntries(worst) as Record<Name, number>;
  }

  /** Prints the longest gaps in seconds, a row for each piece of work. */
  print(): void {
    process.stdout.write(`${this.table.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`);
  }
}
