import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { cutWhenUnread } from "./unread-answers";

test("a WebSocket whose own queue grows beyond 8 MiB is cut, and no other", () => {
  jest.useFakeTimers();
  const socket = (writableLength: number) =>
    Object.assign(new EventEmitter(), { writableLength, destroyed: false, destroy: jest.fn() });
  const [long, short] = [socket(2 ** 23 + 1), socket(2 ** 23)];
  const ended: string[] = [];
  const stop = cutWhenUnread([long, short] as unknown as Socket[], (why) => ended.push(why));
  jest.advanceTimersByTime(1_000);
  stop();
  expect([long, short].map(({ destroy }) => destroy.mock.calls.length)).toEqual([1, 0]);
  expect(ended).toEqual(["unread_bytes"]);
  jest.useRealTimers();
});
