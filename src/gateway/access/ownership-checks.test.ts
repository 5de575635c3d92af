import { filesWith } from "../../testing/repository/source-files";

const contracts = /\.contract\.ts$/;

const owner = "[\\w.?]*(?:user_?id|owner_?id|ownerId)\\b";
/** A comparison of two owners, neither of them null or undefined. */
const comparison = new RegExp(`${owner}\\s*[!=]==\\s*(?!null|undefined)[\\w.]|[!=]==\\s*${owner}`, "i");

const filesIn = (pattern: RegExp, but: RegExp) => filesWith(pattern, but).map((file) => `src/${file}`);

test("only may() compares owners; the listed files compare them for another reason", () => {
  expect(filesIn(comparison, contracts)).toEqual([
    "src/domain/access.ts",
    // The open tokens of one user.
    "src/features/accounts/token-watch.ts",
    // A drone with a new owner: its connections are closed.
    "src/features/drones/drone-watch.ts",
    // A record of a link goes on under the same owner only.
    "src/features/flight-recorder/records.store.ts",
    // A client that reconnects must be the same user.
    "src/features/telemetry/sockets/telemetry-sockets.ts",
    // A viewer's id serves its user alone.
    "src/features/video-rooms/viewer-id.ts",
    "src/relay/drone-watch.ts",
    // Sessions with one owner's drones are counted.
    "src/relay/sessions.ts",
  ]);
});

test("only the listed stores select rows by their owner", () => {
  // A user's own plans, events, purchases and lists. The route walk asks each with another user's ids; a store that
  // comes to this list needs its ids there.
  expect(filesIn(/where\(\{[^}]*\buser_id\b|\.user_id = [?:]/, contracts)).toEqual([
    "src/features/assets/assets.store.ts",
    "src/features/billing/customers.store.ts",
    "src/features/billing/payments.store.ts",
    "src/features/billing/provider-subscriptions.store.ts",
    "src/features/billing/subscriptions.store.ts",
    "src/features/calendar/calendar.store.ts",
    "src/features/drones/drones.store.ts",
    // A user's recipients of reports, by the token or by the flight's owner.
    "src/features/executions/report/recipients.store.ts",
    "src/features/geofences/geofences.store.ts",
    "src/features/missions/missions.store.ts",
    "src/features/plans/plans.store.ts",
    // The caller's use of their quotas, by the token alone.
    "src/features/quotas/usage.store.ts",
  ]);
});

test("the files that call may() are listed", () => {
  expect(filesIn(/\bmay\(/, contracts)).toEqual([
    "src/domain/access.ts",
    "src/features/assets/assets.service.ts",
    "src/features/calendar/calendar.service.ts",
    "src/features/drones/drone-access.ts",
    "src/features/drones/drones.service.ts",
    "src/features/executions/executions.service.ts",
    "src/features/telemetry/index.ts",
    "src/relay/app.ts",
    "src/relay/authorization.ts",
    "src/tunnel/reconcile/fleet.ts",
  ]);
});
