import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { atEndOfFile } from "../../testing";
import { chromiumOptions } from "../../testing/chromium";

export interface TestBrowser {
  /** Pages may ask this origin, too. */
  admit(origin: string): void;
  /**
   * A window whose tabs share storage, as those of one user do. What its pages do against the rules is kept: `faults` must
   * stay empty.
   */
  newWindow(options?: BrowserContextOptions): Promise<TestWindow>;
}

export interface TestWindow {
  readonly context: BrowserContext;
  /**
   * Requests that left the admitted origins, violations of the content security policy, errors on the browser's console. A refused
   * request is none: that is the API's answer.
   */
  readonly faults: string[];
  newTab(path: string): Promise<Page>;
}

/** Chromium for one test file. Pages wait for what they look for for ten seconds. */
export async function startBrowser(origin: string): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch(chromiumOptions);
  atEndOfFile(() => browser.close());
  const admitted = [origin];
  return {
    admit: (another) => void admitted.push(another),
    async newWindow(options = {}) {
      const context = await browser.newContext({ baseURL: origin, ...options });
      context.setDefaultTimeout(10_000);
      const faults: string[] = [];
      watch(context, admitted, faults);
      await reportViolations(context, faults);
      const newTab = async (path: string) => {
        const page = await context.newPage();
        await page.goto(path);
        return page;
      };
      return { context, faults, newTab };
    },
  };
}

/** A request that was refused, and a header that the browser ignores where the page came by plain HTTP. */
const expected = /^(Failed to load resource: the server responded|The Cross-Origin-Opener-Policy header)/;

function watch(context: BrowserContext, admitted: readonly string[], faults: string[]): void {
  context.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (!admitted.includes(to) && protocol !== "data:" && protocol !== "blob:")
      faults.push(`request ${request.url()}`);
  });
  context.on("weberror", (error) => faults.push(`error ${error.error().message}`));
  context.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.text()))
      faults.push(`console ${message.text()}`);
  });
}

async function reportViolations(context: BrowserContext, faults: string[]): Promise<void> {
  await context.exposeBinding("reportViolation", (_source, violation: string) => {
    faults.push(`violation ${violation}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      (globalThis as unknown as { reportViolation(violation: string): void }).reportViolation(
        `${violatedDirective} ${blockedURI}`,
      );
    });
  });
}
