import { type Gateway, startGateway } from "../../src/gateway";
import { gatewayConfig, loadConfig } from "../../src/platform/config";
import type { StateFollower } from "../../src/vehicle";
import { answer, ownFigures } from "../relay/child";
import { flights } from "./states";

/** The gateway as it is shipped; the drones' states come to it as from their links. */
const starting = startGateway(loadConfig(gatewayConfig));
let gateway: Gateway | undefined;
const followers = new Map<number, StateFollower>();

function followerOf(id: number): StateFollower | undefined {
  const target = { key: `drone:${id}`, host: "127.0.0.1", port: 1, via: "direct" } as const;
  const follower = followers.get(id) ?? gateway?.deps.states.follow(target);
  if (follower) followers.set(id, follower);
  return follower;
}

answer({
  url: async () => {
    gateway = await starting;
    return gateway.url;
  },
  ...flights((id, part) => followerOf(id)?.said(part)),
  ...ownFigures,
});
