import { loadConfig, makeSecretsConfig } from "../platform/config";
import type { AdminCommand } from "./command";
import { ensureSecretKeys } from "./ensure-secret-keys";

export const makeSecretsCommand: AdminCommand = {
  usage: "make-secrets",
  summary:
    "Make what the Kubernetes Secrets of GENERATED_SECRETS lack, each Secret and each key; what is there is never changed.",

  async run(args) {
    if (args.length > 0) throw new Error(`usage: admin ${this.usage}`);
    const config = loadConfig(makeSecretsConfig);
    // Loaded here, since it is large and no other command needs it.
    const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromDefault();
    const place = { core: kubeConfig.makeApiClient(CoreV1Api), namespace: config.SECRETS_NAMESPACE };
    for (const [name, kinds] of Object.entries(config.GENERATED_SECRETS)) {
      const made = await ensureSecretKeys(place, name, kinds);
      process.stdout.write(
        `${name}: ${made.length > 0 ? `made ${made.join(", ")}` : "nothing is missing"}\n`,
      );
    }
  },
};
