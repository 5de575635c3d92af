import type { ObjectStore } from "../../../platform/objects/object-store";
import type { Asset } from "../assets.store";
import { rewrittenPlaylist } from "./playlist";

test("other work is done while a long playlist is signed", async () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => `segment-${n}.ts`);
  const store = {
    readSmall: async () => Buffer.from(lines.join("\n")),
    presignGet: async (key: string) => `signed ${key}`,
  } as unknown as ObjectStore;
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const playlist = await rewrittenPlaylist(store, { id: 2, drone_id: 1 } as Asset);
  clearImmediate(counting);
  expect(playlist.split("\n").at(-1)).toMatch(/^signed .*segment-999\.ts$/);
  expect(turns).toBeGreaterThanOrEqual(1_000 / 20);
});
