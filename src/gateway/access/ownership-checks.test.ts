import { filesWith } from "../../testing/guards/source-files";

const contracts = /\.contract\.ts$/;

const owner = "[\\w.?]*(?:user_?id|owner_?id|ownerId)\\b";
/** One owner beside another, neither of them null or undefined. */
const comparison = new RegExp(`${owner}\\s*[!=]==\\s*(?!null|undefined)[\\w.]|[!=]==\\s*${owner}`, "i");

test("who owns a thing is decided by may() and nowhere beside it", () => {
  expect(filesWith(comparison, contracts)).toEqual([
    "domain/access.ts",
    // Whether a drone has another owner than before, so that what was open to it ends.
    "features/drones/drone-watch.ts",
    // Whether it is the same person who comes back.
    "features/telemetry/sockets/telemetry-sockets.ts",
    "relay/drone-watch.ts",
  ]);
});

test("rows that no drone is asked for are found by their owner, in these stores and no other", () => {
  // A user's own: plans, events, purchases and the lists of what is theirs. Whoever names another's finds
  // nothing, which the walk of the routes sees for each id. A store that comes to this list gets ids there.
  expect(filesWith(/where\(\{[^}]*\buser_id\b|\.user_id = \?/, contracts)).toEqual([
    "features/assets/assets.store.ts",
    "features/billing/customers.store.ts",
    "features/billing/payments.store.ts",
    "features/billing/provider-subscriptions.store.ts",
    "features/billing/subscriptions.store.ts",
    "features/calendar/calendar.store.ts",
    "features/drones/drones.store.ts",
    "features/executions/executions.store.ts",
    "features/geofences/geofences.store.ts",
    "features/missions/missions.store.ts",
    "features/plans/plans.store.ts",
  ]);
});

test("whoever acts on a user's drone asks may(), once in each place that a drone comes in", () => {
  expect(filesWith(/\bmay\(/, contracts)).toEqual([
    "domain/access.ts",
    "features/assets/assets.service.ts",
    "features/calendar/calendar.service.ts",
    "features/drones/drone-access.ts",
    "features/drones/drones.service.ts",
    "features/executions/executions.service.ts",
    "features/telemetry/index.ts",
    "relay/admission.ts",
    "relay/app.ts",
    "tunnel/fleet.ts",
  ]);
});
