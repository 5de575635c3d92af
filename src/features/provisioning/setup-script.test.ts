import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type GatewayWithTunnel, gatewayWithTunnel } from "../../testing/worlds/gateway-with-tunnel";
import { setupScript } from "./setup-script";

let world: GatewayWithTunnel;
beforeAll(async () => {
  world = await gatewayWithTunnel();
});

/** The programs of a drone's computer that would change this one. Each writes down how it was called. */
const logged = (exit = 0) => `#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
[ "$*" != "login -u drone --password-stdin registry.example.com" ] || cat >>"$CALLS"
exit ${exit}
`;
/** As the script calls it: jq -r --arg key <key> '.[$key] // empty'. Its values are texts without quotes. */
const jq = `#!/bin/sh
sed -n 's/.*"'"$4"'":"\\([^"]*\\)".*/\\1/p'
`;

/** An empty computer: its root folder, its programs (null: it lacks this one), and what they were asked for. */
function computer(programs: Readonly<Record<string, string | null>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "drone-computer-"));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const stubs = { "wg-quick": logged(), resolvconf: logged(), systemctl: logged(), docker: logged(), jq };
  const id = "#!/bin/sh\necho 0\n";
  for (const [name, source] of Object.entries({ ...stubs, id, ...programs })) {
    if (source === null) continue;
    writeFileSync(join(bin, name), source);
    chmodSync(join(bin, name), 0o755);
  }
  const calls = join(folder, "calls");
  writeFileSync(calls, "");
  const root = join(folder, "root");
  const run = async (...args: string[]) => {
    const env = { PATH: `${bin}:/usr/bin:/bin`, DESTDIR: root, CALLS: calls };
    const child = spawn("bash", ["-s", "--", ...args], { env });
    child.stdin.end(setupScript);
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out, err, status: await exited };
  };
  return {
    run,
    read: (path: string) => readFileSync(join(root, path), "utf8"),
    write: (path: string, content: string) => writeFileSync(join(root, path), content),
    modeOf: (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8),
    calls: () => readFileSync(calls, "utf8").trimEnd().split("\n"),
  };
}

const newDrone = async () => world.newDrone(await world.gateway.newUser(), "rover");

test("the script of the API brings up the drone's tunnel, then its containers", async () => {
  const served = await fetch(`${world.gateway.url}/api/v1/drone/setup`);
  expect([served.status, served.headers.get("content-type"), await served.text()]).toEqual([
    200,
    "text/x-shellscript; charset=utf-8",
    setupScript,
  ]);
  const drone = await newDrone();
  const { run, read, modeOf, calls } = computer();
  const { status, err, out } = await run(world.gateway.url, drone.activation_token);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  expect(out).toContain("The drone is set up.");
  expect(read("etc/wireguard/drones0.conf")).toContain(`Address = ${drone.ip}/32`);
  expect(modeOf("etc/wireguard/drones0.conf")).toBe("600");
  expect(read("opt/fleet/compose.yaml")).toContain("name: fleet-rover");
  expect(read("opt/fleet/.env")).toBe(`DRONE_IP=${drone.ip}\nREPOSITORY=registry.example.com/fleet\n`);
  expect(read("etc/systemd/system/docker.service.d/fleet.conf")).toContain("After=wg-quick@drones0.service");
  expect(calls()).toEqual([
    "docker compose version",
    "systemctl daemon-reload",
    "systemctl enable wg-quick@drones0",
    "systemctl restart wg-quick@drones0",
    "docker login -u drone --password-stdin registry.example.com",
    "pull only",
    "docker compose up -d",
  ]);
});

test("a second set-up keeps the owner's settings", async () => {
  const { run, read, write } = computer();
  await run(world.gateway.url, (await newDrone()).activation_token);
  write("opt/fleet/.env", "AUTOPILOT_DEVICE=/dev/ttyAMA0\nDRONE_IP=10.71.9.9\n");
  const drone = await newDrone();
  await run(world.gateway.url, drone.activation_token);
  expect(read("opt/fleet/.env")).toBe(
    `AUTOPILOT_DEVICE=/dev/ttyAMA0\nDRONE_IP=${drone.ip}\nREPOSITORY=registry.example.com/fleet\n`,
  );
});

test("a wrong token changes nothing, and is refused in the gateway's words", async () => {
  const { run, read, calls } = computer();
  const { status, err } = await run(world.gateway.url, "0000000000");
  expect(status).toBe(1);
  expect(err).toContain("No drone has this activation token");
  expect(() => read("etc/wireguard/drones0.conf")).toThrow("ENOENT");
  expect(calls()).toEqual(["docker compose version"]);
});

test.each([
  ["a program is missing", { resolvconf: null }, "Missing: resolvconf."],
  ["Docker has no Compose", { docker: logged(1) }, "Docker has no Compose."],
  ["it does not run as root", { id: "#!/bin/sh\necho 1000\n" }, "Run this as root"],
])("the token stays valid when %s", async (_, programs, message) => {
  const { activation_token } = await newDrone();
  const { status, err } = await computer(programs).run(world.gateway.url, activation_token);
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) });
  expect((await computer().run(world.gateway.url, activation_token)).status).toBe(0);
});

test("without its two arguments it says how it is used", async () => {
  expect(await computer().run("https://fleet.example.com")).toMatchObject({
    status: 1,
    err: expect.stringContaining("Usage:"),
  });
});
