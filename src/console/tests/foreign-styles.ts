import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { packageRoot } from "../../platform/process/version";

const sheets = () =>
  readdirSync(join(packageRoot, "dist/console/assets")).filter((name) => name.endsWith(".css"));

/**
 * A style sheet stays once its page was shown. What the page that is shown becomes by those of all other pages: each element
 * that moves or looks otherwise, as it was and is. The page must show nothing that changes by itself.
 */
export async function changesByOtherPages(page: Page): Promise<string[]> {
  // Colours change at once, not over some frames.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.mouse.move(0, 0);
  const before = await looks(page);
  await page.evaluate(
    (names) =>
      Promise.all(
        names.map((name) => {
          const href = `/assets/${name}`;
          if (document.querySelector(`link[href="${href}"]`)) return undefined;
          const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
          link.dataset.foreign = "";
          document.head.append(link);
          return new Promise((resolve) => link.addEventListener("load", resolve));
        }),
      ),
    sheets(),
  );
  const after = await looks(page);
  await page.evaluate(() => {
    for (const link of document.querySelectorAll("link[data-foreign]")) link.remove();
  });
  return after.flatMap((look, at) => (look === before[at] ? [] : [`${before[at]} became ${look}`]));
}

/** Each element as its class, its place and what a style sheet changes most often. */
const looks = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *")].map((element) => {
      const tag = `${element.tagName} ${element.getAttribute("class") ?? ""}`;
      // What a closed part hides is laid out when it is opened.
      if (!element.checkVisibility()) return `${tag} hidden`;
      const { x, y, width, height } = element.getBoundingClientRect();
      const of = (pseudo?: string) => {
        const style = getComputedStyle(element, pseudo);
        return [style.display, style.color, style.backgroundColor, style.whiteSpace, style.borderWidth];
      };
      const content = getComputedStyle(element, "::before").content;
      return `${tag} at ${[x, y, width, height].map(Math.round)}: ${of()} ${content === "none" ? "" : of("::before")}`;
    }),
  );
