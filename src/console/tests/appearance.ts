import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { packageRoot } from "../../platform/process/version";
import type { ConsoleWorld } from "./console-world";
import { changesByOtherPages } from "./foreign-styles";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Where the pictures are put for people to look at. */
const pictures = join(packageRoot, "node_modules/.cache/console-pages");

/** A page, or a state of one that looks unlike it: the picture's name, the path, and what is done there. */
export type Look = readonly [name: string, path: string, show: (page: Page) => Promise<unknown>];

interface Variant {
  readonly variant: string;
  readonly colorScheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
  /** Of axe. */
  readonly options?: RunOptions;
}

const variants: readonly [Variant, ...Variant[]] = [
  { variant: "light", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  // It differs from the light one in nothing else.
  {
    variant: "dark",
    colorScheme: "dark",
    viewport: { width: 1280, height: 800 },
    options: { runOnly: ["color-contrast"] },
  },
  // Its colours are those of the light one. This rule takes longer than all others.
  {
    variant: "narrow",
    colorScheme: "light",
    viewport: { width: 360, height: 740 },
    options: { rules: { "color-contrast": { enabled: false } } },
  },
];

/**
 * Tests each look in light, dark and narrow: it breaks no rule of axe, fits the window and cuts no value. It is the same
 * after the other pages were shown.
 */
export function testLooks(at: { readonly world: ConsoleWorld }, looks: readonly Look[]): void {
  beforeAll(() => {
    mkdirSync(pictures, { recursive: true });
  });
  test.each(looks)(
    "%s breaks no rule of axe, fits the window and keeps its looks",
    async (name, path, show) => {
      const window = await at.world.browser.newWindow({ reducedMotion: "reduce" });
      const page = await window.newTab(path);
      await page.setViewportSize(variants[0].viewport);
      await show(page);
      // Evaluated, not added as an element: the page's policy admits no script of others.
      await page.evaluate(axe);
      for (const { variant, colorScheme, viewport, options } of variants) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await drawn(page);
        await page.screenshot({ path: join(pictures, `${name}-${variant}.png`) });
        expect({ variant, violations: await violations(page, options) }).toEqual({ variant, violations: [] });
        const beyond = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return scrollWidth - clientWidth;
        });
        expect({ variant, beyond }).toEqual({ variant, beyond: 0 });
        expect({ variant, cut: await cutTexts(page) }).toEqual({ variant, cut: [] });
      }
      expect(await changesByOtherPages(page)).toEqual([]);
      expect(window.faults).toEqual([]);
      await window.context.close();
    },
  );
}

/** Waits until what was changed is on the screen, maps included. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    for (let left = 3; left > 0; left -= 1) await frame();
  });
}

/**
 * The values and their labels, the names of the pages and the reasons on buttons that are not shown whole; with `age`, when
 * all values are as old as it says.
 */
export const cutTexts = (page: Page, age?: string): Promise<string[]> =>
  page.evaluate((age) => {
    const ages = [...document.querySelectorAll(".reading .age")].map(({ firstChild }) => firstChild as Text);
    const before = ages.map(({ data }) => data);
    if (age) for (const text of ages) text.data = age;
    const end = document.querySelector(".pages")?.getBoundingClientRect().right ?? 0;
    const cut = [
      ...document.querySelectorAll(".reading :is(dd, .label), .pages a, .order-button small"),
    ].filter(
      (text) =>
        text.scrollWidth > text.clientWidth ||
        (text.matches(".pages a") && text.getBoundingClientRect().right > end),
    );
    for (const [at, text] of ages.entries()) text.data = before[at] as string;
    return cut.map((text) => `"${text.textContent}" is cut: ${text.scrollWidth} in ${text.clientWidth}.`);
  }, age);

/** The rules of axe that the page breaks, each with what breaks it. */
function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  return page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
      const results = await axe.run(document, options);
      return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    },
    { resultTypes: ["violations" as const], ...options },
  );
}
