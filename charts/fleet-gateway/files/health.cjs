// `helm test`: every part answers, is ready and reaches what it needs.
const { lookup } = require("node:dns/promises");
const { once } = require("node:events");
const { connect } = require("node:net");

const LIMIT_MS = 10_000;
const AGAIN_MS = 1_000;

/** After an upgrade it takes a moment until Services lead to the new pods. */
const deadline = Date.now() + Number(process.env.WAIT_SECONDS) * 1000;

/** The check for each scheme in a line of PARTS. Each rejects with the reason. */
const ways = {
  /** One of our processes, whose /readyz names its dependencies. */
  ready: (url) => ready(`http://${url.host}`),
  /** The same of each pod behind a headless Service. */
  "each-ready": async (url) => {
    // Unlike `resolve`, it knows the pod's search domains, which make a Service of a short name.
    const found = await lookup(url.hostname, { all: true });
    const hosts = found.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    await Promise.all(hosts.map((host) => ready(`http://${host}:${url.port}`)));
  },
  /** A server that answers 200. */
  http: async (url) => {
    const { status } = await ask(url.href);
    if (status !== 200) throw new Error(`answers ${status}`);
  },
  /** A vehicle, which speaks MAVLink. */
  tcp: async (url) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    await once(socket, "connect", { signal: AbortSignal.timeout(LIMIT_MS) }).finally(() => socket.destroy());
  },
};

const ask = (url) => fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });

async function ready(origin) {
  const response = await ask(`${origin}/readyz`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`answers ${response.status}: ${text}`);
  const { dependencies } = JSON.parse(text);
  const down = Object.keys(dependencies).filter((name) => dependencies[name] !== "up");
  if (down.length === 0) return;
  throw new Error(
    `does not reach ${down.join(", ")}. Where that runs, something lies between: a NetworkPolicy (docs/install.md, "Network policies")?`,
  );
}

/** `gateway ready://fleet-gateway:8080`: tried until it is well; rejects with its last fault. */
async function wellInTime(line) {
  const [name, address] = line.split(" ");
  const url = new URL(address);
  for (;;) {
    try {
      await ways[url.protocol.slice(0, -1)](url);
      console.log(`${name} is well`);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${name}: ${error.cause?.message ?? error.message}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

async function main() {
  const parts = process.env.PARTS.split("\n").filter(Boolean);
  const outcomes = await Promise.allSettled(parts.map(wellInTime));
  const faults = outcomes.flatMap(({ reason }) => (reason ? [reason.message] : []));
  if (faults.length > 0) throw new Error(faults.join("\n"));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
