import { core, exec, freshNamespace, namespace as own, startSleeper } from "./release";

const connecting = `
const { connect } = require("node:net");
const opens = (target) => new Promise((resolve) => {
  const [host, port] = target.split(":");
  const socket = connect({ host, port: Number(port), timeout: 3000 });
  const is = (open) => { socket.destroy(); resolve([target, open]); };
  socket.once("connect", () => is(true)).once("timeout", () => is(false));
  // A policy drops, forbids or refuses; a name that is not known is a fault of the test.
  socket.once("error", ({ code, message }) => is(["EHOSTUNREACH", "ECONNREFUSED", "ETIMEDOUT"].includes(code) ? false : message));
});
Promise.all(process.argv.slice(1).map(opens)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;
const getting = `
fetch(process.argv[1], { signal: AbortSignal.timeout(5000) })
  .then(async (reply) => console.log(JSON.stringify({ status: reply.status, text: await reply.text() })));
`;

/** A pod that looks at the cluster's network from where it is. */
export class ProbePod {
  constructor(
    private readonly namespace: string,
    private readonly target: string,
    private readonly container: string,
  ) {}

  /** A new one that is of no release. Its namespace is made for it until the end of the file, unless it is the release's. */
  static async create(namespace: string, name: string): Promise<ProbePod> {
    if (namespace !== own) await freshNamespace(namespace);
    await startSleeper(namespace, name, "probe");
    return new ProbePod(namespace, `pod/${name}`, "probe");
  }

  /** Of each `host:port` whether a connection opens; rejected or dropped on the way is false, any other fault its words. */
  async opens(targets: readonly string[]): Promise<Record<string, boolean | string>> {
    return JSON.parse(await this.node(connecting, targets));
  }

  async get(url: string): Promise<{ readonly status: number; readonly text: string }> {
    return JSON.parse(await this.node(getting, [url]));
  }

  async delete(): Promise<void> {
    const name = this.target.replace("pod/", "");
    await core.deleteNamespacedPod({ namespace: this.namespace, name });
  }

  run(command: readonly string[], input = ""): Promise<string> {
    return exec(this.target, this.container, command, input, this.namespace);
  }

  private node(script: string, args: readonly string[]): Promise<string> {
    return this.run(["node", "-e", script, ...args]);
  }
}
