import { loadConfig, makeSecretsConfig } from "../platform/config";
import type { AdminCommand } from "./command";
import { ensureSecretKeys } from "./ensure-secret-keys";

export const command: AdminCommand = {
  usage: "make-secrets",
  summary:
    "Create the Kubernetes Secrets of GENERATED_SECRETS, and the keys that they lack. Existing keys are never changed.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(makeSecretsConfig);
    // Loaded here: it is large, and no other command needs it.
    const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromDefault();
    const target = { core: kubeConfig.makeApiClient(CoreV1Api), namespace: config.SECRETS_NAMESPACE };
    for (const [name, kinds] of Object.entries(config.GENERATED_SECRETS)) {
      const made = await ensureSecretKeys(target, name, kinds);
      process.stdout.write(
        `${name}: ${made.length > 0 ? `made ${made.join(", ")}` : "nothing is missing"}\n`,
      );
    }
  },
};
