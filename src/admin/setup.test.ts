import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import knex from "knex";
import { freePort } from "../laptop/free-port";
import { atEndOfFile, freshDatabase, freshFolder, freshObjects } from "../testing";
import { runAdmin } from "../testing/programs/run-admin";

test("the tunnel's role reads two tables, takes a new password, and never sees a third table", async () => {
  const { url } = await freshDatabase();
  const role = `tunnel_${process.pid}_${Date.now()}`;
  const as = (password: string) => {
    const theirs = new URL(url);
    theirs.username = role;
    theirs.password = password;
    return theirs.href;
  };
  const ours = knex({ client: "pg", connection: url, pool: { min: 0, max: 1 } });
  try {
    await runAdmin({ DATABASE_URL: url, TUNNEL_DATABASE_URL: as("the first") }, "tunnel-role");
    await ours.raw(`GRANT SELECT ON subscriptions TO ${role}`);
    const { stdout } = await runAdmin(
      { DATABASE_URL: url, TUNNEL_DATABASE_URL: as("another") },
      "tunnel-role",
    );
    expect(stdout).toBe(`role ${role} may read users and drones\n`);
    const { rows } = await ours.raw("select rolpassword from pg_authid where rolname = ?", [role]);
    expect(rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
    const theirs = knex({ client: "pg", connection: as("another"), pool: { min: 0, max: 1 } });
    try {
      expect(await theirs("users").select("id", "ip")).toEqual([]);
      await expect(theirs("subscriptions").select("id")).rejects.toThrow("permission denied");
    } finally {
      await theirs.destroy();
    }
  } finally {
    await ours.raw(`DROP OWNED BY ${role}`);
    await ours.raw(`DROP ROLE ${role}`);
    await ours.destroy();
  }
});

test("missing buckets are made, and those that are there are left alone", async () => {
  const objects = await freshObjects("fleet");
  const env = {
    S3_ENDPOINT: objects.url,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  };
  expect((await runAdmin(env, "create-buckets")).stdout).toBe("made fleet-vpn\n");
  expect((await runAdmin(env, "create-buckets")).stdout).toBe("both buckets are there\n");
});

test("the command waits for a store that is starting, and fails at once when the store refuses it", async () => {
  const objects = await freshObjects("fleet");
  const store = new URL(objects.url);
  // More than the store's own client tries before it gives up.
  let refusals = 6;
  const proxy = createServer((near) => {
    if (refusals-- > 0) return void near.destroy();
    const far = connect(Number(store.port), store.hostname);
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
  });
  atEndOfFile(async () => void proxy.close());
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const env = {
    S3_ENDPOINT: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  };
  expect((await runAdmin(env, "create-buckets")).stdout).toBe("made fleet-vpn\n");
  expect(refusals).toBeLessThan(0);

  const wrongAccount = { ...env, S3_ACCESS_KEY_ID: "nobody" };
  await expect(runAdmin(wrongAccount, "create-buckets")).rejects.toMatchObject({ code: 1 });
});

test("the command reports an API server that does not answer and fails, so that its Job retries", async () => {
  const folder = freshFolder("kube");
  const port = await freePort();
  const cluster = { name: "c", cluster: { server: `https://127.0.0.1:${port}` } };
  const context = { name: "c", context: { cluster: "c", user: "u" } };
  writeFileSync(
    join(folder, "config"),
    JSON.stringify({
      clusters: [cluster],
      contexts: [context],
      users: [{ name: "u", user: {} }],
      "current-context": "c",
    }),
  );
  const env = {
    KUBECONFIG: join(folder, "config"),
  };
  await expect(
    runAdmin(env, "make-secrets", '{"fleet-keys": {"JWT_SECRET": "password"}}'),
  ).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("ECONNREFUSED"),
  });
});

test.each([
  ["is no JSON", "JWT_SECRET=password"],
  ["has a kind that there is not", '{"fleet-keys": {"JWT_SECRET": "rsa"}}'],
  ["has a key that no Secret can have", '{"fleet-keys": {"a/b": "password"}}'],
])("a list of Secrets that %s is refused with what it should be", async (_what, list) => {
  await expect(runAdmin({}, "make-secrets", list)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("usage: admin make-secrets SECRETS"),
  });
});
