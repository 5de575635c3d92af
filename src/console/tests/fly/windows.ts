import type { BrowserContext, Page } from "playwright-core";
import { cutTexts } from "../appearance";

/** By the type of a frame: what a vehicle says at most that flies with six cells. */
const large: Readonly<Record<string, object>> = {
  relalt: { data: -1234.5 },
  hud: { groundspeed: 23.45, climb: -6.27, altitude: 3_456.7 },
  system: {
    battery: {
      voltage: 25.21,
      remaining: 100,
      current: 128.4,
      cells: Array(6).fill(4.2),
      time_remaining: 8_000,
    },
  },
};

const TELEMETRY = '42["telemetry_data",';

/** Gives the pages of this window large values in place of the vehicle's own. */
export async function sayLargeValues(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (typeof message !== "string" || !message.startsWith(TELEMETRY)) return socket.send(message);
      const frame = JSON.parse(message.slice(TELEMETRY.length, -1));
      Object.assign(frame.data, large[frame.type]);
      socket.send(`${TELEMETRY}${JSON.stringify(frame)}]`);
    });
  });
}

/** What is wrong with the page in a window of this size. */
export async function faultsIn(page: Page, size: { width: number; height: number }): Promise<string[]> {
  await page.setViewportSize(size);
  const now = await cutTexts(page);
  const lost = await cutTexts(page, "59 min");
  const others = await page.evaluate(() => {
    scrollTo(0, 0);
    const { scrollWidth, clientWidth } = document.documentElement;
    const isSeen = (element: Element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return height > 0 && top >= 0 && bottom <= innerHeight;
    };
    const seen = (selector: string, text: string) =>
      [...document.querySelectorAll(selector)].filter(
        (element) => element.textContent?.startsWith(text) && isSeen(element),
      ).length;
    // A marker of 48 pixels with a name in lines of 130 below it.
    const map = (document.querySelector(".map-canvas") as Element).getBoundingClientRect();
    const [x, y] = [map.x + map.width / 2, map.y + map.height / 2];
    const isOver = ({ left, right, top, bottom }: DOMRect) =>
      left < x + 70 && right > x - 70 && top < y + 60 && bottom > y - 24;
    const over = [...document.querySelectorAll(".view-map button")].filter((button) =>
      isOver(button.getBoundingClientRect()),
    );
    return [
      ...(scrollWidth > clientWidth ? [`The page is ${scrollWidth} wide.`] : []),
      ...[".reading Above home", ".reading Speed", "button Land"].flatMap((one) => {
        const [selector = "", ...text] = one.split(" ");
        const count = seen(selector, text.join(" "));
        return count === 1 ? [] : [`${one} is seen ${count} times.`];
      }),
      ...over.map(({ textContent }) => `${textContent} is over the vehicle.`),
    ];
  });
  return [...now, ...lost, ...others].map((fault) => `${size.width}x${size.height}: ${fault}`);
}
