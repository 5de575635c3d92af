import { atEndOfFile, freshDatabase, freshFolder, freshMail, freshObjects, freshRedis } from "../../testing";
import { freePort } from "../free-port";
import { nothingReady } from "../ready";
import type { Component } from "./component";
import { database, mail, objects, redis } from "./services";

async function start(
  component: Component,
  env: Record<string, string>,
  print: (line: string) => void = () => undefined,
) {
  const secrets = { jwt: "j", databasePassword: "d", userPassword: "u", archiveSigningKey: "a" };
  const running = await component.start({
    env,
    ready: nothingReady,
    folder: freshFolder("stack"),
    secrets,
    print,
  });
  atEndOfFile(async () => running.stop?.());
  return running;
}

test("services that the environment names are used, and not started", async () => {
  const [given, cache, store, sink] = await Promise.all([
    freshDatabase(),
    freshRedis(),
    freshObjects("fleet", "fleet-vpn"),
    freshMail(),
  ]);
  const s3 = {
    S3_ENDPOINT: store.url,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
  const running = [
    await start(database, { DATABASE_URL: given.url }),
    await start(redis, { REDIS_URL: cache.url }),
    await start(objects, s3),
    await start(mail, { SMTP_URL: sink.url }),
  ];
  expect(running.map(({ ready }) => ready)).toEqual([
    { database: given.url },
    { redis: cache.url },
    { s3: store.url },
    { smtp: sink.url },
  ]);
  expect(running.filter(({ stop, env }) => stop || env)).toEqual([]);
});

test("a service that the environment names and that does not answer is named with its variable", async () => {
  const port = await freePort();
  const dead = `127.0.0.1:${port}`;
  await expect(start(database, { DATABASE_URL: `postgres://x@${dead}/y` })).rejects.toThrow(
    /DATABASE_URL.*ECONNREFUSED/,
  );
  await expect(start(redis, { REDIS_URL: `redis://${dead}` })).rejects.toThrow(/REDIS_URL.*ECONNREFUSED/);
  await expect(start(mail, { SMTP_URL: `smtp://${dead}` })).rejects.toThrow(/SMTP_URL.*ECONNREFUSED/);
});

test("a bucket that the given store lacks is named", async () => {
  const store = await freshObjects("fleet");
  const s3 = {
    S3_ENDPOINT: store.url,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
  await expect(start(objects, s3)).rejects.toThrow("bucket fleet-vpn at S3_ENDPOINT");
});
