import type { ContractCase, ContractWorld } from "../../testing/contract";
import { saveSubscription } from ".";

const refusal = (code: number) => ({ success: false, error: { code, message: expect.any(String) } });
const grant = ({ gateway, user }: ContractWorld, vehicle_count: number) =>
  saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count });

/** Here no key of the payment provider is configured. */
const moneyRoutes: readonly [route: string, method: "post" | "put", path: string, body?: object][] = [
  ["POST /billing/checkout", "post", "/billing/checkout", { vehicle_count: 2 }],
  ["POST /billing/portal", "post", "/billing/portal"],
  ["PUT /billing/subscription/vehicles", "put", "/billing/subscription/vehicles", { vehicle_count: 2 }],
  ["POST /billing/subscription/cancel", "post", "/billing/subscription/cancel", { immediate: true }],
  ["POST /billing/subscription/reactivate", "post", "/billing/subscription/reactivate"],
];

export const billingNotConfiguredContract: readonly ContractCase[] = moneyRoutes.map(
  ([route, method, path, body]) => ({
    route,
    title: "answers a clear 400 in envelope A where payments are not set up",
    run: async ({ user }) => {
      const reply = await user.api[method](path, body);
      expect(reply).toMatchObject({ status: 400, body: refusal(400) });
      expect(reply.body.error.message).toMatch(/not set up.*operator/);
    },
  }),
);

const invalidCounts = [0, -1, 1.5, "2", null, undefined, true, [], 1e9, 1e20];

export const invalidVehicleCountContract: readonly ContractCase[] = [
  ["POST /billing/checkout", "post", "/billing/checkout"] as const,
  ["PUT /billing/subscription/vehicles", "put", "/billing/subscription/vehicles"] as const,
].map(([route, method, path]) => ({
  route,
  title: "answers a vehicle_count that is no integer of at least 1 with 400 and its name",
  run: async ({ user }) => {
    for (const vehicle_count of invalidCounts) {
      const reply = await user.api[method](path, { vehicle_count });
      expect(reply).toMatchObject({ status: 400, body: refusal(400) });
      expect(reply.body.error.message).toContain("vehicle_count");
    }
  },
}));

export const billingContract: readonly ContractCase[] = [
  {
    route: "GET /billing/pricing",
    title: "tells everybody 12000 minor units in euro, per vehicle and year",
    run: async ({ anonymous }) => {
      const reply = await anonymous.get("/billing/pricing");
      expect(reply).toMatchObject({ status: 200, body: { success: true } });
      expect(reply.body.data).toMatchObject({
        ...{ price_per_vehicle: 12_000, currency: "eur", billing_period: "year" },
        ...{ free_simulated_vehicles: 1, checkout_available: false },
      });
    },
  },
  {
    route: "GET /billing/subscription",
    title: "is null without one, and the caller's own with one",
    run: async (world) => {
      const { user, otherUser } = world;
      const none = await user.api.get("/billing/subscription");
      expect(none).toMatchObject({ status: 200, body: { success: true, data: null } });
      await grant(world, 3);
      const { body } = await user.api.get("/billing/subscription");
      expect(body.data).toMatchObject({
        user_id: user.id,
        status: "active",
        vehicle_count: 3,
        granted: true,
      });
      expect((await otherUser.api.get("/billing/subscription")).body.data).toBeNull();
    },
  },
  {
    route: "POST /billing/subscription/cancel",
    title: "answers an immediate that is no boolean with 400",
    run: async ({ user }) => {
      const reply = await user.api.post("/billing/subscription/cancel", { immediate: "yes" });
      expect(reply).toMatchObject({ status: 400, body: refusal(400) });
    },
  },
  {
    route: "GET /billing/payments",
    title: "clamps the limit to 1..100 and refuses one that is no integer",
    run: async ({ gateway, user, otherUser }) => {
      const rows = Array.from({ length: 101 }, (_, at) => ({
        ...{ user_id: user.id, customer_id: "cus", status: "paid", amount: at, currency: "eur" },
        invoice_id: `in_${user.id}_${at}`,
        paid_at: new Date(Date.UTC(2026, 0, 1, 0, at)),
      }));
      await gateway.deps.db("payments").insert(rows);
      const listed = async (query: string) => (await user.api.get(`/billing/payments${query}`)).body.data;
      const sizes: [string, number][] = [
        ["?limit=0", 1],
        ["?limit=-7", 1],
        ["?limit=2", 2],
        ["?limit=1000", 100],
        ["?limit=1e30", 100],
        ["", 20],
      ];
      for (const [query, size] of sizes)
        expect([query, await listed(query)]).toMatchObject([query, { length: size }]);
      expect((await listed("?limit=2")).map(({ amount }: { amount: number }) => amount)).toEqual([100, 99]);
      expect((await otherUser.api.get("/billing/payments")).body.data).toEqual([]);
      for (const limit of ["many", "1.5", "Infinity", "NaN"]) {
        const reply = await user.api.get(`/billing/payments?limit=${limit}`);
        expect([limit, reply]).toMatchObject([limit, { status: 400, body: refusal(400) }]);
      }
    },
  },
  {
    route: "GET /billing/can-add-vehicle",
    title: "gives all five reasons, as POST /drone would decide",
    run: async (world) => {
      const { gateway, user } = world;
      const add = (type: string) => user.api.post("/drone", { type, name: "One", vehicle_type: "copter" });
      const decide = async (type: string) => {
        const { body } = await user.api.get(`/billing/can-add-vehicle?vehicle_type=${type}`);
        expect((await add(type)).status).toBe(body.data.can_add ? 201 : 402);
        return body.data.reason;
      };
      expect(await decide("physical")).toBe("no_subscription");
      expect(await decide("sitl")).toBe("free_tier");
      expect(await decide("sitl")).toBe("vehicle_limit_reached");
      await grant(world, 1);
      expect(await decide("physical")).toBe("allowed");
      await saveSubscription(gateway.deps.db, user.id, { status: "past_due", vehicle_count: 9 });
      expect(await decide("physical")).toBe("subscription_inactive");
      const { body } = await user.api.get("/billing/can-add-vehicle?vehicle_type=physical");
      expect(body.data).toMatchObject({
        ...{ can_add: false, message: expect.stringContaining("not active") },
        subscription: { status: "past_due", vehicle_count: 9 },
      });
    },
  },
  {
    route: "GET /billing/can-add-vehicle",
    title: "refuses a kind of vehicle that there is not",
    run: async ({ user }) => {
      const reply = await user.api.get("/billing/can-add-vehicle?vehicle_type=boat");
      expect(reply).toMatchObject({ status: 400, body: refusal(400) });
    },
  },
  {
    route: "POST /billing/webhook",
    title: "answers a type that is not for us with {status: ignored}",
    run: async ({ anonymous }) => {
      const event = { id: "evt_1", type: "price.created", created: 1, data: { object: {} } };
      const reply = await anonymous.post("/billing/webhook", event);
      expect(reply).toMatchObject({ status: 200, body: { success: true, status: "ignored" } });
    },
  },
];
