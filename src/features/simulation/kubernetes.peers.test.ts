import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { RecordedKubernetes } from "../../testing/fakes/recorded-kubernetes";
import { ClusterSimulator } from "../../testing/worlds/cluster-simulator";
import { KubernetesProvider } from "./kubernetes-provider";

/**
 * Of kube-apiserver 1.34. Made anew by
 * `PEERS_RECORD=true .ci/peers/with-api-server npm run test:peers -- simulation/kubernetes`.
 */
const RECORDING = join(__dirname, "kubernetes.recording.json");

/** The cluster that KUBECONFIG names, or else a recording of one, in which nothing has to be brought about. */
async function world(): Promise<{ api: RecordedKubernetes; cluster: ClusterSimulator | undefined }> {
  if (!process.env.KUBECONFIG) {
    const recording = JSON.parse(readFileSync(RECORDING, "utf8"));
    return { api: await RecordedKubernetes.replaying(recording), cluster: undefined };
  }
  const config = new KubeConfig();
  config.loadFromDefault();
  const cluster = await ClusterSimulator.create(config);
  const server = config.getCurrentCluster();
  if (!server) throw new Error("KUBECONFIG names no cluster.");
  const ca = server.caFile ? readFileSync(server.caFile) : Buffer.from(server.caData ?? "", "base64");
  return { api: await RecordedKubernetes.recording(server, ca, cluster.token), cluster };
}

test("a StatefulSet is scaled with the least rights, and each refusal of the API server reaches the caller", async () => {
  const { api, cluster } = await world();
  const provide = (statefulSet = "simulator", kubeConfig = api.config()) =>
    new KubernetesProvider({ namespace: "fleet-peers", statefulSet, kubeConfig });
  const provider = provide();
  const nowhere = { instance_id: "fleet-peers/simulator", public_ip: null, private_ip: null };
  expect(await provider.describe()).toEqual({ ...nowhere, state: "stopped", launched_at: null });
  await provider.start();
  expect(await provider.describe()).toMatchObject({ ...nowhere, state: "pending" });
  await cluster?.start();
  expect(await provider.describe()).toMatchObject({
    state: "running",
    private_ip: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
    launched_at: expect.any(Date),
  });
  const meddled = await cluster?.conflict();
  if (meddled) api.answerNext(meddled);
  await expect(provider.stop()).rejects.toMatchObject({ code: 409 });
  await provider.stop();
  // A cluster with controllers may have ended the pod already.
  expect((await provider.describe()).state).toMatch(cluster ? /^stopp(ing|ed)$/ : /^stopping$/);
  await cluster?.stop();
  expect((await provider.describe()).state).toBe("stopped");

  await expect(provide("another").describe()).rejects.toMatchObject({ code: 403 });
  await expect(provide("another").start()).rejects.toMatchObject({ code: 403 });
  await expect(provide("simulator", api.config({ token: "nobody's" })).describe()).rejects.toMatchObject({
    code: 401,
  });
  await cluster?.remove();
  await expect(provider.describe()).rejects.toMatchObject({ code: 404 });
  await expect(provider.start()).rejects.toMatchObject({ code: 404 });

  if (cluster && process.env.PEERS_RECORD)
    writeFileSync(RECORDING, `${JSON.stringify(api.exchanges, null, 2)}\n`);
  const asked = api.exchanges.length;
  expect(api.exchanges.map(({ reply }) => reply.status)).toEqual(
    expect.arrayContaining([200, 401, 403, 404, 409]),
  );
  const otherCluster = (await RecordedKubernetes.replaying([])).config();
  const elsewhere = Buffer.from(otherCluster.getCurrentCluster()?.caData ?? "", "base64").toString();
  const distrustful = provide("simulator", api.config(undefined, elsewhere));
  await expect(distrustful.describe()).rejects.toThrow(/certificate/);
  expect(api.exchanges).toHaveLength(asked);
}, 300_000);
