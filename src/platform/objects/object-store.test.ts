import { atEndOfFile, freshObjects } from "../../testing";
import { interruptible } from "../../testing/worlds/interruptible";
import { ObjectStore } from "./object-store";

test("a store that stalls fails its requests instead of holding them, and serves when it is back", async () => {
  const objects = await freshObjects("fleet");
  const cable = await interruptible(objects.url);
  const settings = {
    S3_ENDPOINT: cable.url,
    S3_REGION: "us-east-1",
    S3_BUCKET: "fleet",
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  };
  const store = new ObjectStore(settings, 200);
  atEndOfFile(async () => store.close());
  await store.write("flight.log", "content", "text/plain");
  cable.stall();
  const asked = Promise.allSettled([store.sizeOf("flight.log"), store.readText("flight.log")]);
  for (const one of await asked) {
    expect(one).toMatchObject({ status: "rejected", reason: { name: "TimeoutError" } });
  }
  cable.mend();
  expect(await store.readText("flight.log")).toBe("content");
});
