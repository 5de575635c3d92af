import { serveFake } from "./http-server";

/** A fake of the Kubernetes API that keeps one StatefulSet, `simulator`, and its pod. `settle` is its controller. */
export class FakeKubernetes {
  replicas = 0;
  readyReplicas = 0;
  pods = 0;
  /** `METHOD path` of every request, in order. */
  readonly asked: string[] = [];

  static async listening(): Promise<FakeKubernetes & { url: string }> {
    const fake = new FakeKubernetes();
    const url = await serveFake(({ method = "", url: path = "" }, text) => {
      const { status, body } = fake.answer(method, path, text);
      return { status, type: "application/json", body: JSON.stringify(body) };
    });
    return Object.assign(fake, { url });
  }

  settle(): void {
    this.pods = this.replicas;
    this.readyReplicas = this.replicas;
  }

  private answer(method: string, path: string, text: string): { status: number; body: unknown } {
    this.asked.push(`${method} ${path}`);
    const set = "/apis/apps/v1/namespaces/fleet/statefulsets/simulator";
    const metadata = { name: "simulator", namespace: "fleet" };
    if (method === "GET" && path === set) {
      const status = { replicas: this.pods, readyReplicas: this.readyReplicas };
      const body = { kind: "StatefulSet", metadata, spec: { replicas: this.replicas }, status };
      return { status: 200, body };
    }
    if (method === "PATCH" && path === `${set}/scale`) {
      const [patch] = JSON.parse(text) as [{ op: string; path: string; value: number }];
      if (patch.op !== "replace" || patch.path !== "/spec/replicas") return { status: 422, body: {} };
      this.replicas = patch.value;
      this.readyReplicas = Math.min(this.readyReplicas, this.replicas);
      return { status: 200, body: { kind: "Scale", metadata, spec: { replicas: this.replicas } } };
    }
    if (method === "GET" && path === "/api/v1/namespaces/fleet/pods/simulator-0" && this.pods > 0) {
      const status = { podIP: "10.1.0.9", startTime: "2027-01-01T00:00:00Z" };
      return { status: 200, body: { kind: "Pod", metadata: { name: "simulator-0" }, status } };
    }
    return { status: 404, body: { kind: "Status", code: 404 } };
  }
}
