import { startGateway } from "../../src/gateway";
import { gatewayConfig, loadConfig } from "../../src/platform/config";
import { answer, ownFigures } from "../relay/child";
import { flyAll, said } from "./states";

/** The gateway as it is shipped; the drones' states come to it as from their links. */
const starting = startGateway(loadConfig(gatewayConfig));
let stop = () => {};

answer({
  url: async () => (await starting).url,
  /** From now on these drones fly; before, each says all of it once. */
  fly: async (ids: readonly number[]) => {
    const { follow } = (await starting).deps.states;
    const followers = new Map(
      ids.map((id) => [id, follow({ key: `drone:${id}`, host: "127.0.0.1", port: 1, via: "direct" })]),
    );
    const say = (id: number, tenth: number) => {
      for (const part of said(id, tenth)) followers.get(id)?.said(part);
    };
    for (const id of ids) say(id, 0);
    stop = flyAll(ids, say);
    return ids.length;
  },
  land: () => {
    stop();
    return true;
  },
  ...ownFigures,
});
