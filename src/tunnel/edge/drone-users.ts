import { createHash, createHmac } from "node:crypto";
import { TOPICS_FROM_DRONE, TOPICS_TO_DRONE } from "../../domain/drone-channels";
import type { Ipv4 } from "../../domain/ipv4";
import type { Redis } from "../../platform/redis/client";

export interface Login {
  readonly username: string;
  readonly password: string;
}

const PREFIX = "fleet-drone-";

/**
 * Users of Redis, one for each drone that has come: they may subscribe to the channels that lead to the drone, publish on
 * those that come from it, and nothing else. No drone ever sees its password.
 */
export class DroneUsers {
  constructor(
    /** May ACL SETUSER, DELUSER and USERS. */
    private readonly redis: Pick<Redis, "acl">,
    /** Passwords come of it, so that several hubs give a drone the same one. */
    private readonly secret: string,
  ) {}

  /** The drone's user, made anew: Redis forgets its users in a restart. Safe to repeat while it is in use. */
  async ensure(ip: Ipv4): Promise<Login> {
    const username = PREFIX + ip;
    const password = createHmac("sha256", this.secret).update(`redis user ${ip}`).digest("base64url");
    const hash = createHash("sha256").update(password).digest("hex");
    const channels = (topics: readonly string[]) => topics.map((topic) => `&${ip}:${topic}`);
    await this.redis.acl(
      "SETUSER",
      username,
      "reset",
      "on",
      `#${hash}`,
      "resetkeys",
      "resetchannels",
      "-@all",
      ...["+ping", "+subscribe", "+unsubscribe", ...channels(TOPICS_TO_DRONE)],
      `(+publish resetchannels ${channels(TOPICS_FROM_DRONE).join(" ")})`,
    );
    return { username, password };
  }

  /** Removes the users of drones that are no longer; Redis cuts their connections. Returns how many. */
  async keepOnly(isLive: (ip: string) => boolean): Promise<number> {
    const users = (await this.redis.acl("USERS")) as string[];
    const gone = users.filter((name) => name.startsWith(PREFIX) && !isLive(name.slice(PREFIX.length)));
    if (gone.length > 0) await this.redis.acl("DELUSER", ...gone);
    return gone.length;
  }
}
