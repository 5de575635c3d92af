import { EventEmitter } from "node:events";
import type { Context } from "koa";
import { hangUp } from "./hang-up";

const replyTo = (closed: boolean) => Object.assign(new EventEmitter(), { closed });

test("whoever hangs up is noticed, and so is who did before anybody asked", () => {
  const reply = replyTo(false);
  const gone = hangUp({ res: reply } as unknown as Context);
  expect(gone.aborted).toBe(false);
  reply.emit("close");
  expect(gone.aborted).toBe(true);
  expect(hangUp({ res: replyTo(true) } as unknown as Context).aborted).toBe(true);
});
