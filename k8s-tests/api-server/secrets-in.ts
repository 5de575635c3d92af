import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BatchV1Api, CoreV1Api, type V1Job } from "@kubernetes/client-node";
import { freshFolder } from "../../src/testing";
import { compiledPrograms } from "../../src/testing/programs/programs";
import { until } from "../../src/testing/until";
import { serviceAccountConfig } from "../../src/testing/worlds/cluster-account";
import { run } from "../chart/helm";
import { apiServer } from "./config";

type Secrets = Record<string, Record<string, string>>;

/** A namespace's Secrets, and the Job that makes them. */
export function secretsIn(namespace: string) {
  const config = apiServer();
  const core = config.makeApiClient(CoreV1Api);
  const batch = config.makeApiClient(BatchV1Api);
  let programs: string | undefined;

  /** Secret → key → value, but helm's own. */
  async function secrets(): Promise<Secrets> {
    const { items } = await core.listNamespacedSecret({ namespace });
    return Object.fromEntries(
      items
        .filter(({ type }) => type === "Opaque")
        .map(({ metadata, data = {} }) => [
          metadata?.name ?? "",
          Object.fromEntries(
            Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
          ),
        ]),
    );
  }

  const jobs = async (release: string, component: string): Promise<V1Job[]> =>
    (
      await batch.listNamespacedJob({
        namespace,
        labelSelector: `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`,
      })
    ).items;

  /** Logged in as the account of the release's Job, in a file. */
  async function accountFile(account: string): Promise<string> {
    const theirs = await serviceAccountConfig(config, namespace, account);
    const file = join(freshFolder("account"), "kubeconfig");
    writeFileSync(file, theirs.exportConfig());
    return file;
  }

  /** Run the program of the release's newest Job with its account, for other Secrets if named. Resolves with the output. */
  async function make(release: string, others?: string): Promise<string> {
    const job = (await jobs(release, "secrets")).at(-1)?.spec?.template.spec;
    programs ??= compiledPrograms();
    const [, program = "", command = "", own = ""] = job?.containers[0]?.args ?? [];
    const KUBECONFIG = await accountFile(job?.serviceAccountName ?? "");
    const { PATH = "" } = process.env;
    const args = [join(programs, program.replace("dist/", "")), command, others ?? own];
    const { stdout } = await run(process.execPath, args, { env: { PATH, KUBECONFIG } });
    return stdout;
  }

  /** A new role takes a moment to be known: the Job tries again, too. */
  const madeIn = (release: string) => until(() => make(release).then(() => true));

  return { core, secrets, jobs, make, madeIn };
}
