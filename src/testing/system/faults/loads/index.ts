import { createUser, hashPassword } from "../../../../features/accounts";
import { grantSubscription } from "../../../../features/billing/grant";
import { atEndOfFile } from "../../../clean-up";
import { ApiClient } from "../../../client";
import { startCountingVehicle } from "../../../fakes/counting-vehicle";
import { until } from "../../../until";
import { tapVehicle } from "../../../vehicle-tap";
import { makePhysical } from "../../../worlds/replicas";
import { startTestSimulator, type TestVehicle } from "../../../worlds/simulator";
import { type Deployment, EDGE_SECRET, TUNNEL_SECRET, WEBHOOK_SECRET } from "../deployment";
import type { Load, Round } from "../findings";
import type { Progress } from "../progress";
import { CommandLoad } from "./commands";
import { LogOutLoad } from "./log-outs";
import { PeerLoad } from "./peers";
import { StickLoad } from "./sticks";
import { TelemetryLoad } from "./telemetry";
import { UploadLoad } from "./uploads";
import { WebhookLoad } from "./webhooks";

const BRING_MS = 20_000;

interface Loads {
  readonly all: readonly Load[];
  /** Its jobs are counted apart. */
  readonly uploads: UploadLoad;
  /** Drones whose link is leased: they get orders, or are watched. */
  readonly linked: readonly number[];
  /** A new token, before the old one ends. */
  logIn(): Promise<void>;
  /** Has this gateway, the first being 0, take the links of all of them. */
  bringLinksTo(gateway: number): Promise<void>;
}

/** Starts the loads: one pilot's fleet, uploads, log-outs, webhooks and new peers. */
export async function startLoads(deployment: Deployment, round: Round, progress: Progress): Promise<Loads> {
  const { gateways, droneUrls, relays, tunnels, leaseHolders, db, redisUrl, storeUrl, mail } = deployment;
  const credentials = { username: "pilot@example.com", password: "correct horse battery" };
  const { username, password } = credentials;
  const password_hash = await hashPassword(password);
  const user = await createUser(db, { username, password_hash, level: "CUSTOMER", active: true });
  let tokens = { access_token: "", refresh_token: "" };
  const token = () => tokens.access_token;
  const logIn = async () => {
    tokens = (await new ApiClient(`${gateways[0]}/api/v1`).post("/login", credentials)).body;
  };
  await logIn();
  await grantSubscription(db, credentials.username, 10);
  const api = (gateway: number) => new ApiClient(`${gateways[gateway]}/api/v1`).as(token());
  const newDrone = async (vehicle: { host: string; port: number }, name: string) => {
    const input = { type: "sitl", name, vehicle_type: "copter", port: vehicle.port, link_host: vehicle.host };
    const { status, body } = await api(0).post("/drone", input);
    if (status !== 201) throw new Error(`A drone was not made: ${JSON.stringify(body)}`);
    return body as { id: number; ip: string };
  };
  /** Dialled through the jumphost, and through a tap. */
  const newLinkedDrone = async (vehicle: { host: string; port: number }, ip: string) => {
    const tap = await tapVehicle(vehicle, ip);
    const drone = await newDrone({ host: ip, port: tap.port }, `linked at ${ip}`);
    await makePhysical(db, drone as never, ip);
    return { id: drone.id, tap };
  };
  const copter = { kind: "copter" } as const;
  const simulator = await startTestSimulator([copter, copter, copter, copter]);
  atEndOfFile(() => simulator.stop());
  const [first, second, ...others] = simulator.vehicles as [TestVehicle, TestVehicle, ...TestVehicle[]];
  const commanded = [await newLinkedDrone(first, "127.0.0.50"), await newLinkedDrone(second, "127.0.0.51")];
  const counting = await startCountingVehicle();
  const watched = await newLinkedDrone(counting, "127.0.0.52");
  const flown = [];
  for (const [at, vehicle] of others.entries()) flown.push(await newDrone(vehicle, `flown ${at}`));
  const steered = [];
  for (const name of ["steered 0", "steered 1", "steered by a roaming pilot"])
    steered.push(await newDrone(first, name));
  const own = await newDrone(first, "whose endpoints tokens are tried on");
  const shared = { gateways, db, round, progress };
  const uploads = new UploadLoad({
    ...{ ...shared, gateways: droneUrls, edgeSecret: EDGE_SECRET },
    ...{ drones: flown, storeUrl, mail },
  });
  const all = [
    new CommandLoad({ ...shared, drones: commanded, authorization: () => `Bearer ${token()}` }),
    new TelemetryLoad({ ...shared, drone: { id: watched.id, vehicle: counting }, token }),
    new StickLoad({ relays, drones: steered, token, redisUrl, round, progress }),
    new LogOutLoad({ ...shared, relays, refreshToken: tokens.refresh_token, drone: own, redisUrl }),
    uploads,
    new PeerLoad({ tunnels, secret: TUNNEL_SECRET, storeUrl, db, round, progress }),
    new WebhookLoad({ ...shared, secret: WEBHOOK_SECRET, userId: user.id }),
  ];
  const linked = [...commanded, watched].map(({ id }) => id);
  const bringLinksTo = async (gateway: number) => {
    for (const id of linked) {
      await until(async () => {
        if ((await leaseHolders.ofLink(id)).by === `gateway ${gateway + 1}`) return true;
        await api(gateway).delete(`/drone/action/connection?id=${id}`);
        await api(gateway).get(`/drone/action/connection?id=${id}`);
        return false;
      }, BRING_MS);
    }
  };
  return { all, uploads, linked, logIn, bringLinksTo };
}
