// `helm test`: every part answers and is ready, and a user can log in.
const { spawnSync } = require("node:child_process");

const username = "helm-test@example.com";

async function main() {
  const services = process.env.SERVICES.split(/\s+/).filter(Boolean);
  const states = await Promise.allSettled(services.map(ready));
  const faults = states.flatMap(({ reason }) => (reason ? [reason.message] : []));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  ensureUser();
  const response = await fetch(`${process.env.GATEWAY}/api/v1/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ username, password: process.env.TEST_PASSWORD }),
  });
  const { access_token: token } = await response.json();
  if (response.status !== 200 || !token) throw new Error(`The login answers ${response.status}.`);
  const drones = await fetch(`${process.env.GATEWAY}/api/v1/drones`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (drones.status >= 400) throw new Error(`The list of drones answers ${drones.status}.`);
  console.log(`logged in; ${services.length} services are ready`);
}

async function ready(service) {
  const response = await fetch(`${service}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${service}/readyz answers ${response.status}: ${body}`);
  console.log(`${service} is ready: ${body}`);
}

/** A user of its own, who owns nothing; made by the first test of a release. */
function ensureUser() {
  const args = ["dist/cmd/admin.js", "create-user", "--username", username, "--active"];
  const { status, stderr } = spawnSync("node", args, {
    input: `${process.env.TEST_PASSWORD}\n`,
    encoding: "utf8",
  });
  if (status !== 0 && !stderr.includes("exists already")) throw new Error(`No user: ${stderr}`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
