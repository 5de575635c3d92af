import { EventEmitter } from "node:events";
import type { Context } from "koa";
import { clientDisconnect } from "./client-disconnect";

const replyTo = (state: { destroyed: boolean; writableFinished: boolean }) =>
  Object.assign(new EventEmitter(), state);
const signalOf = (reply: object) => clientDisconnect({ res: reply } as unknown as Context);

test("a client that disconnects before its reply is sent aborts the signal, also a signal that is requested later", () => {
  const reply = replyTo({ destroyed: false, writableFinished: false });
  const signal = signalOf(reply);
  expect(signal.aborted).toBe(false);
  reply.emit("close");
  expect(signal.aborted).toBe(true);
  expect(signalOf(replyTo({ destroyed: true, writableFinished: false })).aborted).toBe(true);
});

test("the end of a reply that was sent aborts nothing", () => {
  const reply = replyTo({ destroyed: false, writableFinished: true });
  const signal = signalOf(reply);
  reply.emit("close");
  expect(signal.aborted).toBe(false);
});
