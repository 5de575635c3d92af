import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { packageRoot } from "../../src/platform/process/version";
import { chromiumOptions } from "../../src/testing/chromium";
import type { CleanupStack } from "../../src/testing/repository/cleanup-stack";

/** One of the two pages, and how it shows what is measured. */
export interface Subject {
  readonly path: string;
  /** There when the page can be used, beside a drone on the map. */
  readonly usable: readonly string[];
  /** Its text has the mode of the first drone. */
  readonly mode: string;
}

export const subjects = {
  ours: {
    path: "/",
    usable: ['[role="option"] .number'],
    mode: '[role="option"] .drone-state',
  },
  baseline: { path: "/bare/", usable: ["#mode:not(:empty)"], mode: "#mode" },
} as const satisfies Record<string, Subject>;

export interface BenchPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** Milliseconds from the navigation until the page could be used. */
  readonly usableMs: number;
  close(): Promise<void>;
}

export type Open = (url: string, subject: Subject) => Promise<BenchPage>;

/** Chromium that draws WebGL without a graphics card. */
export async function startChromium(stops: CleanupStack): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions);
  stops.add(() => browser.close());
  return browser;
}

export const opener =
  (browser: Browser): Open =>
  async (url, subject) => {
    // A context of its own has an empty cache.
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await watchFrames(context, subject);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable");
    await page.goto(`${url}${subject.path}`);
    await page.waitForFunction(() => benchSeen.usableMs > 0, undefined, { timeout: 60_000 });
    const usableMs = await page.evaluate(() => benchSeen.usableMs);
    return { page, cdp, usableMs, close: () => context.close() };
  };

/** What a page sees at each of its frames, before it is drawn. */
interface Seen {
  /** Milliseconds since the navigation began; 0 before. */
  usableMs: number;
  frames: number;
  /** Of each state that was new in a frame: milliseconds since it was said. */
  ages: number[];
}
/** Of the page. */
declare const benchSeen: Seen;

/** Not a module of ours: it runs in the page. */
export const inPage = readFileSync(join(packageRoot, "bench/console/in-page.mjs"), "utf8");

const watchFrames = (context: BrowserContext, { usable, mode }: Subject): Promise<unknown> =>
  context.addInitScript({
    content: `${inPage}\nwatchFrames(${JSON.stringify(usable)}, ${JSON.stringify(mode)});`,
  });

export interface Flown {
  readonly framesPerSecond: number;
  /** Milliseconds of the page's script in a second. */
  readonly scriptMs: number;
  readonly ages: readonly number[];
}

/** What the page does within so many milliseconds. */
export async function measure({ page, cdp }: BenchPage, milliseconds: number): Promise<Flown> {
  const script = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN) * 1000;
  };
  const before = await script();
  const { frames, ages, ms } = await page.evaluate(async (milliseconds) => {
    benchSeen.frames = 0;
    benchSeen.ages = [];
    const began = performance.now();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return { ...benchSeen, ms: performance.now() - began };
  }, milliseconds);
  return {
    framesPerSecond: (frames * 1000) / ms,
    scriptMs: (((await script()) - before) * 1000) / ms,
    ages,
  };
}

/** Bytes of the page's script that are in use. */
export async function heapBytes({ cdp }: BenchPage): Promise<number> {
  // The second time finds what the first one has set free.
  for (let time = 0; time < 2; time++) await cdp.send("HeapProfiler.collectGarbage");
  return (await cdp.send("Runtime.getHeapUsage")).usedSize;
}
