import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { isInstalled } from "../servers/installed";
import { startJanus } from "../servers/janus";
import type { Component } from "./component";

/**
 * The media server of video rooms: JANUS_URL's when the environment names one, the system's Janus otherwise.
 * Without either the stack runs all the same, and the room routes say that there is none.
 */
export const media: Component = {
  name: "Janus",
  async start({ env, folder }) {
    if (env.JANUS_URL) return { ready: { janus: env.JANUS_URL } };
    if (!isInstalled("janus", env.PATH)) return {};
    const adminKey = randomBytes(24).toString("base64url");
    const server = await startJanus({ folder: join(folder, "janus"), adminKey });
    return {
      ...server,
      ready: { janus: server.url },
      env: { JANUS_URL: server.url, JANUS_ADMIN_KEY: adminKey },
    };
  },
};
