import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { limitUnreadBytes } from "./client-limits";

test("a WebSocket that leaves more than 8 MiB unread is destroyed, and no other", () => {
  jest.useFakeTimers();
  const socket = (writableLength: number) =>
    Object.assign(new EventEmitter(), { writableLength, destroyed: false, destroy: jest.fn() });
  const [long, short] = [socket(2 ** 23 + 1), socket(2 ** 23)];
  const closed: string[] = [];
  const stop = limitUnreadBytes([long, short] as unknown as Socket[], (reason) => closed.push(reason));
  jest.advanceTimersByTime(1_000);
  stop();
  expect([long, short].map(({ destroy }) => destroy.mock.calls.length)).toEqual([1, 0]);
  expect(closed).toEqual(["unread_bytes"]);
  jest.useRealTimers();
});
