import type { ContractCase } from "../../testing/contract";
import type { TestUser } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

/** How the rows answer where no tunnel service is configured; with one they are tried in `vpn.test.ts`. */
const refusal = { error: expect.any(String) };
const sitl = { type: "sitl", name: "Copter", vehicle_type: "copter" };
const physical = { type: "physical", name: "Rover", vehicle_type: "rover" };

const drone = async ({ api }: TestUser, input: object = sitl) =>
  (await api.post("/drone", input)).body as { id: number; ip: string };

const answers404ToOtherUsers = (path: "/vpn" | "/vpn/config" | "/vpn/status"): ContractCase => ({
  route: `GET /drone/:drone_id${path}`,
  title: "answers 404 for another user's drone and for an invalid id",
  run: async ({ user, otherUser }) => {
    const { id } = await drone(otherUser);
    for (const named of [id, 2_000_000_000, "x", "-1", "99999999999"]) {
      expect(await user.api.get(`/drone/${named}${path}`)).toMatchObject({ status: 404, body: refusal });
    }
  },
});

export const vpnContract: readonly ContractCase[] = [
  {
    route: "GET /user/vpn",
    title: "answers 200 with a link that works for 30 seconds",
    run: async ({ user }) => {
      const { status, body, headers } = await user.api.get("/user/vpn");
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["url"]);
      const url = new URL(body.url);
      expect(url.pathname).toBe(`/fleet-vpn/vpn/users/${user.id}.conf`);
      expect(url.searchParams.get("X-Amz-Expires")).toBe("30");
      expect(headers.get("cache-control")).toBe("no-store");
    },
  },
  {
    route: "GET /user/vpn",
    title: "answers 400 to a user without an address",
    run: async ({ user, gateway }) => {
      await gateway.deps.db("users").where({ id: user.id }).update({ ip: null });
      expect(await user.api.get("/user/vpn")).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: "GET /drone/:drone_id/vpn",
    title: "answers 200 with a link that works for 30 seconds",
    run: async ({ user, gateway }) => {
      await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
      const { id } = await drone(user, physical);
      const { status, body } = await user.api.get(`/drone/${id}/vpn`);
      expect(status).toBe(200);
      const url = new URL(body.url);
      expect(url.pathname).toBe(`/fleet-vpn/vpn/drones/${id}.conf`);
      expect(url.searchParams.get("X-Amz-Expires")).toBe("30");
    },
  },
  {
    route: "GET /drone/:drone_id/vpn",
    title: "answers 404 for a simulated drone, which has no tunnel",
    run: async ({ user }) => {
      const { id } = await drone(user);
      expect(await user.api.get(`/drone/${id}/vpn`)).toMatchObject({ status: 404, body: refusal });
    },
  },
  answers404ToOtherUsers("/vpn"),
  {
    route: "GET /user/vpn/config",
    title: "answers 404 until the config is published, then 200 with its text",
    run: async ({ user, gateway }) => {
      expect(await user.api.get("/user/vpn/config")).toMatchObject({ status: 404, body: refusal });
      await gateway.deps.vpnStore.write(`vpn/users/${user.id}.conf`, "[Interface]\n", "text/plain");
      const { status, body, headers } = await user.api.get("/user/vpn/config");
      expect({ status, body }).toEqual({ status: 200, body: { config: "[Interface]\n" } });
      expect(headers.get("cache-control")).toBe("no-store");
    },
  },
  {
    route: "GET /user/vpn/config",
    title: "answers 400 to a user without an address",
    run: async ({ user, gateway }) => {
      await gateway.deps.db("users").where({ id: user.id }).update({ ip: null });
      expect(await user.api.get("/user/vpn/config")).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: "GET /drone/:drone_id/vpn/config",
    title: "answers 404 until the config is published, then 200 with its text",
    run: async ({ user, gateway }) => {
      await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
      const { id } = await drone(user, physical);
      const read = () => user.api.get(`/drone/${id}/vpn/config`);
      expect(await read()).toMatchObject({ status: 404, body: refusal });
      await gateway.deps.vpnStore.write(`vpn/drones/${id}.conf`, "[Interface]\n", "text/plain");
      const { status, body } = await read();
      expect({ status, body }).toEqual({ status: 200, body: { config: "[Interface]\n" } });
    },
  },
  {
    route: "GET /drone/:drone_id/vpn/config",
    title: "answers 404 for a simulated drone, also where an object has its name",
    run: async ({ user, gateway }) => {
      const { id } = await drone(user);
      await gateway.deps.vpnStore.write(`vpn/drones/${id}.conf`, "[Interface]\n", "text/plain");
      expect(await user.api.get(`/drone/${id}/vpn/config`)).toMatchObject({ status: 404, body: refusal });
    },
  },
  answers404ToOtherUsers("/vpn/config"),
  {
    route: "GET /user/vpn/status",
    title: "answers status false while no tunnel service can tell",
    run: async ({ user }) => {
      expect(await user.api.get("/user/vpn/status")).toMatchObject({ status: 200, body: { status: false } });
    },
  },
  {
    route: "GET /user/vpn/status",
    title: "answers 400 to a user without an address",
    run: async ({ user, gateway }) => {
      await gateway.deps.db("users").where({ id: user.id }).update({ ip: null });
      expect(await user.api.get("/user/vpn/status")).toMatchObject({ status: 400, body: refusal });
    },
  },
  {
    route: "GET /drone/:drone_id/vpn/status",
    title: "answers status false for a physical drone of which nothing is known, true for a simulated one",
    run: async ({ user, gateway }) => {
      await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
      for (const [input, status] of [
        [physical, false],
        [sitl, true],
      ] as const) {
        const { id } = await drone(user, input);
        expect(await user.api.get(`/drone/${id}/vpn/status`)).toMatchObject({
          status: 200,
          body: { status },
        });
      }
    },
  },
  {
    route: "GET /drone/:drone_id/vpn/status",
    title: "answers 400 for a drone without an address",
    run: async ({ user, gateway }) => {
      const { id } = await drone(user);
      await gateway.deps.db("drones").where({ id }).update({ ip: null });
      expect(await user.api.get(`/drone/${id}/vpn/status`)).toMatchObject({ status: 400, body: refusal });
    },
  },
  answers404ToOtherUsers("/vpn/status"),
  {
    route: "GET /drones_status",
    title: "answers {} to a user without drones",
    run: async ({ user }) => {
      const { status, body } = await user.api.get("/drones_status");
      expect({ status, body }).toEqual({ status: 200, body: {} });
    },
  },
  {
    route: "GET /drones_status",
    title: "answers by drone id with the caller's drones only; a simulated one is always active",
    run: async ({ user, otherUser, gateway }) => {
      await saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
      const [simulated, real] = [await drone(user), await drone(user, physical)];
      await drone(otherUser);
      const { status, body } = await user.api.get("/drones_status");
      expect({ status, body }).toEqual({
        status: 200,
        body: { [simulated.id]: { is_active: true }, [real.id]: { is_active: false } },
      });
    },
  },
];
