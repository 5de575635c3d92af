import { createLogger } from "../../../platform/process/log";
import { openRedis } from "../../../platform/redis/client";
import { LeaseStore } from "../../../vehicle/cluster";
import { startJumphost } from "../../worlds/jumphost";

const { JUMPHOST_PORT, REDIS_URL = "", TUNNEL_API_SECRET } = process.env;
const leases = new LeaseStore(openRedis(REDIS_URL, createLogger("jumphost", "silent")));

/**
 * The tunnel's jumphost in the strict profile, with drones on loopback, in its own process so that a test can kill it.
 */
startJumphost(
  { secret: TUNNEL_API_SECRET, lastFence: (link) => leases.lastFence(link) },
  Number(JUMPHOST_PORT),
).then(() => process.stdout.write("the jumphost is ready\n"));
process.on("disconnect", () => process.exit());
