import { publishCompose } from "../../features/provisioning";
import { loadConfig, publishComposeConfig } from "../../platform/config";
import { ObjectStore } from "../../platform/objects/object-store";
import type { Component } from "./component";

/** Publishes the compose files of drones' computers, to which an activation links. */
export const composeFiles: Component = {
  name: "the compose files",
  async start({ env }) {
    const config = loadConfig(publishComposeConfig, env);
    const store = new ObjectStore(config);
    try {
      await publishCompose(store, config);
    } finally {
      store.close();
    }
    return {};
  },
};
