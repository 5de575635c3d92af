import { parse } from "yaml";
import { z } from "zod";
import { loadConfig, onboardConfig } from "../../platform/config";
import { composeFile, composeKey, vehicleTypes } from "./compose-file";
import { publishCompose } from "./publish-compose";

const settings = {
  image: "registry.example.com/onboard:1",
  edgePort: 8088,
  edgeRedisPort: 8089,
};

/** The part of Compose's schema that these files use: a misspelt key fails. */
const Service = z.strictObject({
  image: z.string().min(1),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()),
  restart: z.literal("unless-stopped"),
  init: z.boolean().optional(),
  read_only: z.boolean(),
  user: z.string().optional(),
  cap_drop: z.tuple([z.literal("ALL")]),
  security_opt: z.array(z.string()),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
  devices: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  ports: z.array(z.string()).optional(),
  depends_on: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
});
const Compose = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  "x-service": z.unknown(),
  services: z.strictObject({ "mavlink-router": Service, onboard: Service }),
});

const read = (vehicleType: (typeof vehicleTypes)[number]) =>
  Compose.parse(parse(composeFile(vehicleType, settings), { merge: true }));

/** `${NAME:-default}` and `${NAME:?message}`, as Compose fills them in from `.env`. */
function filledIn(text: string, env: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => {
    const value = env[name] ?? (kind === "-" ? rest : undefined);
    if (value === undefined) throw new Error(`${name}: ${rest}`);
    return value;
  });
}

describe.each(vehicleTypes)("the compose file of a %s", (vehicleType) => {
  const { services, name } = read(vehicleType);

  test("is valid for Compose, with the vehicle's name", () => {
    expect(name).toBe(`fleet-${vehicleType}`);
    expect(services["mavlink-router"].image).toBe(settings.image);
    expect(services.onboard.image).toBe(settings.image);
  });

  test("gives the onboard agent a complete configuration", () => {
    const env = Object.fromEntries(
      Object.entries(services.onboard.environment ?? {}).map(([key, value]) => [
        key,
        filledIn(value, { DRONE_IP: "10.71.0.2" }),
      ]),
    );
    expect(Object.keys(env).filter((key) => !(key in onboardConfig.shape))).toEqual([]);
    expect(loadConfig(onboardConfig, env)).toMatchObject({
      DRONE_IP: "10.71.0.2",
      REDIS_URL: "redis://10.71.0.1:8089",
      ONBOARD_GATEWAY_URL: "http://10.71.0.1:8088",
      ONBOARD_VEHICLE: "mavlink-router:5760",
    });
  });

  test("offers the autopilot to the gateway on the tunnel's address only, where the agent finds it too", () => {
    const router = services["mavlink-router"];
    const [, port] = services.onboard.environment?.ONBOARD_VEHICLE?.split(":") ?? [];
    expect(router.command).toContain(`--tcp-port=${port}`);
    expect(router.ports?.map((one) => filledIn(one, { DRONE_IP: "10.71.0.2" }))).toEqual([
      `10.71.0.2:5001:${port}`,
    ]);
    expect(() => filledIn(router.ports?.[0] ?? "", {})).toThrow("set DRONE_IP in .env");
    expect(services.onboard.ports).toBeUndefined();
  });

  test("lets the router write logs where the agent reads them", () => {
    const folder = (volume: string) => filledIn(volume, {}).split(":").slice(0, 2).join(":");
    expect(services["mavlink-router"].command).toContain("--log=/logs");
    expect(services.onboard.environment?.ONBOARD_LOG_FOLDER).toBe("/logs");
    expect(folder(services["mavlink-router"].volumes[0] as string)).toBe("./flight-logs:/logs");
    expect(folder(services.onboard.volumes[0] as string)).toBe("./flight-logs:/logs");
  });

  test("holds no secret", () => {
    expect(composeFile(vehicleType, settings)).not.toMatch(/password|secret|private.?key|\/\/[^/\s]*@/i);
  });
});

test("without settings the agent's image of this version is pulled from the drone's registry, and carries the router", async () => {
  const written = new Map<string, string>();
  const write = async (key: string, text: Buffer | string) => void written.set(key, String(text));
  const edge = { EDGE_PORT: 8088 };
  expect(await publishCompose({ write }, edge)).toEqual(vehicleTypes.map(composeKey));
  for (const text of written.values()) {
    const { services } = Compose.parse(parse(text, { merge: true }));
    const images = Object.values(services).map(({ image }) => filledIn(image, { REPOSITORY: "ghcr.io/us" }));
    expect(images).toEqual([expect.stringMatching(/^ghcr\.io\/us\/fleet-onboard:\d+\.\d+\.\d+$/), images[0]]);
  }
});
