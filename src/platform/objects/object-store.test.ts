import { atEndOfFile, freshObjects } from "../../testing";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { ObjectStore } from "./object-store";

test("a store that stalls fails its requests instead of holding them, and serves when it is back", async () => {
  const objects = await freshObjects("fleet");
  const link = await interruptibleLink(objects.url);
  const settings = {
    S3_ENDPOINT: link.url,
    S3_REGION: "us-east-1",
    S3_BUCKET: "fleet",
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  };
  const store = new ObjectStore(settings, 200);
  atEndOfFile(async () => store.close());
  const patient = new ObjectStore({ ...settings, S3_ENDPOINT: objects.url });
  atEndOfFile(async () => patient.close());
  await patient.write("flight.log", "content", "text/plain");
  link.stall();
  const asked = Promise.allSettled([store.head("flight.log"), store.readSmall("flight.log")]);
  for (const one of await asked) {
    expect(one).toMatchObject({ status: "rejected", reason: { name: "TimeoutError" } });
  }
  link.mend();
  expect(String(await until(() => store.readSmall("flight.log")))).toBe("content");
});

test.each([
  ["AWS", {}, "fleet"],
  ["AWS in China", { S3_REGION: "cn-north-1" }, "fleet"],
  ["AWS, of a bucket with a dot", {}, "fleet.example"],
  ["a store", { S3_ENDPOINT: "http://127.0.0.1:9000" }, "fleet"],
  [
    "a store with another address for users",
    { S3_ENDPOINT: "http://10.0.0.9:9000", S3_PUBLIC_ENDPOINT: "https://objects.example.com/s3" },
    "fleet",
  ],
])("the origin of users' URLs is known beforehand: %s", async (_whose, own, S3_BUCKET) => {
  const key = { S3_ACCESS_KEY_ID: "AKIDEXAMPLE", S3_SECRET_ACCESS_KEY: "a secret" };
  const store = new ObjectStore({ S3_REGION: "eu-central-1", S3_BUCKET, ...key, ...own });
  const url = await store.presignGet("assets/1/2/a.jpg", "user", 60);
  store.close();
  expect(store.userOrigin).toBe(new URL(url).origin);
});
