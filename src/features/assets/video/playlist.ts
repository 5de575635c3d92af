import { type ObjectStore, URL_SECONDS } from "../../../platform/objects/object-store";
import { streamFolder } from "../asset-names";
import type { Asset } from "../assets.store";
import { signEach } from "../sign-each";

export const PLAYLIST = "index.m3u8";

/**
 * The stored playlist with a presigned URL instead of each URI: in lines without a tag, and in `URI="…"` of tags such
 * as EXT-X-MAP.
 */
export async function rewrittenPlaylist(store: ObjectStore, asset: Asset): Promise<string> {
  const folder = streamFolder(asset);
  const stored = (await store.readSmall(folder + PLAYLIST)).toString("utf8");
  const sign = (uri: string) => store.presignGet(folder + uri, "user", URL_SECONDS);
  const signLine = async (line: string): Promise<string> => {
    if (line === "") return line;
    if (!line.startsWith("#")) return sign(line);
    const uri = /URI="([^"]+)"/.exec(line)?.[1];
    return uri ? line.replace(`URI="${uri}"`, `URI="${await sign(uri)}"`) : line;
  };
  return (await signEach(stored.split("\n"), signLine)).join("\n");
}
