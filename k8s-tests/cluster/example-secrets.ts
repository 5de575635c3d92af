import type { ProbePod } from "./probe-pod";
import { core, namespace } from "./release";

/** Creates a Secret in the release's namespace. */
export async function createSecret(
  name: string,
  data: Readonly<Record<string, string>>,
  type = "Opaque",
): Promise<void> {
  await core.createNamespacedSecret({
    namespace,
    body: { metadata: { name }, type, stringData: { ...data } },
  });
}

/** Creates every Secret that the production example names, as docs/install.md describes it; `pod` makes the keys. */
export async function createSecrets(
  pod: ProbePod,
  certificate: Readonly<Record<string, string>>,
): Promise<void> {
  const printed = (await pod.run(["node", "dist/cmd/admin.js", "keys"])).trim().split("\n");
  const keys = Object.fromEntries(printed.map((line) => line.split(/=(.*)/s, 2)));
  const { USERS_PRIVATE_KEY, DRONES_PRIVATE_KEY, ...processes } = keys;
  await createSecret("fleet-keys", processes);
  await createSecret("fleet-hub-keys", { USERS_PRIVATE_KEY, DRONES_PRIVATE_KEY });
  await createSecret("fleet-mail", { url: "smtp://mail.example.com:587" });
  await createSecret("fleet-billing", {
    STRIPE_SECRET_KEY: "sk_test_none",
    STRIPE_WEBHOOK_SECRET: "whsec_none",
  });
  await createSecret("fleet-drone-registry", { username: "drone", password: "pull" });
  await createSecret("fly-example-com", certificate, "kubernetes.io/tls");
}
