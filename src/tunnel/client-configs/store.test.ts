import type { EmbeddedObjects } from "../../laptop/servers/objects";
import { openObjects } from "../../platform/objects/client";
import { freshObjects } from "../../testing/fresh-servers";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { ConfigStore } from "./store";

const openAt = ({ accessKeyId, secretAccessKey }: EmbeddedObjects, url: string) =>
  openObjects({
    S3_ENDPOINT: url,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  });

test("a first config is not written over another hub's", async () => {
  const objects = await freshObjects("vpn-test");
  const s3 = openAt(objects, objects.url);
  const store = new ConfigStore(s3, "vpn-test");
  await store.put("vpn/users/1.conf", "the one that was first", { onlyNew: true });
  const second = store.put("vpn/users/1.conf", "of a hub that stood still", { onlyNew: true });
  await expect(second).rejects.toMatchObject({ name: "PreconditionFailed" });
  expect(await store.get("vpn/users/1.conf")).toBe("the one that was first");
  s3.destroy();
});

test("a store whose machine is replaced is asked anew, long before its old connection is given up", async () => {
  const objects = await freshObjects("vpn-test");
  const link = await interruptibleLink(objects.url);
  const s3 = openAt(objects, link.url);
  const store = new ConfigStore(s3, "vpn-test", 300);
  await store.put("vpn/users/1.conf", "a config");
  link.stall();
  link.replace();
  const askedAt = performance.now();
  expect(await store.get("vpn/users/1.conf")).toBe("a config");
  expect(performance.now() - askedAt).toBeGreaterThan(250);
  expect(performance.now() - askedAt).toBeLessThan(15_000);
  s3.destroy();
});
