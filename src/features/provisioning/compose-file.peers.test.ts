import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../../testing";
import { composeFile, vehicleTypes } from "./compose-file";

const program = process.env.PEERS_COMPOSE_SPEC ?? "";

/** What Compose makes of a file whose variables are filled in. */
function load(text: string) {
  const folder = freshFolder("compose");
  writeFileSync(join(folder, "compose.yaml"), text);
  const args = ["-format", "json", "compose.yaml"];
  return JSON.parse(execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }));
}

const settings = { image: "onboard:1", edgePort: 1, edgeRedisPort: 2 };
const filledIn = (text: string) =>
  text.replaceAll(/\$\{DRONE_IP:\?[^}]*\}/g, "10.71.0.2").replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1");

test.each(vehicleTypes)(
  "the Compose Specification's own reader takes the compose file of a %s",
  (vehicleType) => {
    const project = load(filledIn(composeFile(vehicleType, settings)));
    expect(project.name).toBe(`fleet-${vehicleType}`);
    const { "mavlink-router": router, onboard } = project.services;
    expect(router.ports).toEqual([
      expect.objectContaining({ host_ip: "10.71.0.2", published: "5001", target: 5760, protocol: "tcp" }),
    ]);
    expect(router.devices).toEqual([expect.objectContaining({ target: "/dev/autopilot" })]);
    expect(onboard.depends_on).toHaveProperty("mavlink-router");
    for (const service of [router, onboard])
      expect(service).toMatchObject({ restart: "unless-stopped", read_only: true, cap_drop: ["ALL"] });
  },
);

test("refuses a misspelt key, so that the tests above can fail", () => {
  const text = filledIn(composeFile("copter", settings)).replace("restart:", "restarts:");
  expect(() => load(text)).toThrow(/restarts/);
});
