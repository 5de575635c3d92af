import { openObjects } from "../../platform/objects";
import { cuttable } from "../../testing/cuttable";
import { freshObjects } from "../../testing/fresh-servers";
import { ConfigStore } from "./store";

test("a store whose machine is replaced is asked anew, long before its old connection is given up", async () => {
  const objects = await freshObjects("vpn-test");
  const cable = await cuttable(objects.url);
  const s3 = openObjects({
    S3_ENDPOINT: cable.url,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  });
  const store = new ConfigStore(s3, "vpn-test", 300);
  await store.put("vpn/users/1.conf", "a config");
  cable.stall();
  cable.replace();
  const askedAt = performance.now();
  expect(await store.get("vpn/users/1.conf")).toBe("a config");
  expect(performance.now() - askedAt).toBeGreaterThan(250);
  expect(performance.now() - askedAt).toBeLessThan(15_000);
  s3.destroy();
});
