import type { ObjectStore } from "../../platform/objects/object-store";
import { streamFolder } from "./asset-names";
import type { Asset } from "./assets.store";

export const PLAYLIST = "index.m3u8";

/**
 * The stored playlist with a presigned URL in place of each URI: lines that are no tag, and `URI="…"` within
 * tags such as EXT-X-MAP.
 */
export async function rewrittenPlaylist(store: ObjectStore, asset: Asset, seconds: number): Promise<string> {
  const folder = streamFolder(asset);
  const stored = await store.readText(folder + PLAYLIST);
  const sign = (uri: string) => store.presignGet(folder + uri, "user", seconds);
  const lines = stored.split("\n").map(async (line) => {
    if (line === "") return line;
    if (!line.startsWith("#")) return sign(line);
    const uri = /URI="([^"]+)"/.exec(line)?.[1];
    return uri ? line.replace(`URI="${uri}"`, `URI="${await sign(uri)}"`) : line;
  });
  return (await Promise.all(lines)).join("\n");
}
