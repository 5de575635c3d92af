import { atEndOfFile, freshFolder } from "../../testing";
import { media } from "./media";

const context = (env: Record<string, string>) => ({
  env,
  ready: { gateway: null, relay: null, tunnel: null, jumphost: null, database: null, redis: null } as never,
  folder: freshFolder("stack"),
  secrets: {} as never,
  print: () => undefined,
});

test("a system without Janus has no media server, and the stack goes on", async () => {
  expect(await media.start(context({ PATH: freshFolder("programs") }))).toEqual({});
});

test("JANUS_URL of the environment is used", async () => {
  const running = await media.start(context({ JANUS_URL: "http://janus:8088/janus" }));
  expect(running).toEqual({ ready: { janus: "http://janus:8088/janus" } });
});

test("the system's Janus replaces a leftover one, with a key that the gateway gets", async () => {
  const around = context({ PATH: process.env.PATH ?? "" });
  const left = await media.start(around);
  expect((await fetch(`${left.ready?.janus}/info`)).status).toBe(200);
  const running = await media.start(around);
  atEndOfFile(async () => running.stop?.());
  expect(await left.ended).toMatch(/Janus ended/);
  expect(running.env).toEqual({
    JANUS_URL: running.ready?.janus,
    JANUS_ADMIN_KEY: expect.stringMatching(/^.{32}$/),
  });
  expect((await fetch(`${running.ready?.janus}/info`)).status).toBe(200);
});
