import { createLogger } from "../../../platform/process/log";
import { openRedis } from "../../../platform/redis/client";
import { LeaseStore } from "../../../vehicle/cluster";
import { startJumphost } from "../../worlds/jumphost";

const { JUMPHOST_PORT, REDIS_URL = "", TUNNEL_API_SECRET } = process.env;
const leases = new LeaseStore(openRedis(REDIS_URL, createLogger("jumphost", "silent")));

/**
 * The tunnel's jumphost as the strict profile has it, in a process of its own, with drones on loopback, for whoever
 * wants to kill it.
 */
startJumphost(
  { secret: TUNNEL_API_SECRET, lastFence: (link) => leases.lastFence(link) },
  Number(JUMPHOST_PORT),
).then(() => process.stdout.write("the jumphost is ready\n"));
process.on("disconnect", () => process.exit());
