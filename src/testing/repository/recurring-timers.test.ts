import { hasRecurringTimer } from "./recurring-timers";
import { filesWith } from "./source-files";

/** Files with a recurring timer, and why it is safe in two processes at once. */
const REPEATED: Readonly<Record<string, string>> = {
  "src/features/accounts/token-watch.ts": "asks about its own sockets",
  "src/features/actions/abandoned-orders.ts": "tried in exactly-once.system.test.ts",
  "src/features/assets/upload-checks.ts": "renews the turn that it holds",
  "src/features/drones/drone-watch.ts": "reads",
  "src/features/flight-recorder/flight-recorder.ts": "its own links",
  "src/features/flight-recorder/record-writer.ts": "parts of its own links, again under the same name",
  "src/features/provisioning/activation.service.ts": "a request's own wait",
  "src/features/telemetry/feeds/drone-feeds.ts": "its own watchers",
  "src/features/telemetry/fleet/drone-states.ts": "states of its own links",
  "src/features/telemetry/fleet/fleet-watchers.ts": "its own watchers",
  "src/features/telemetry/sockets/client-limits.ts": "its own sockets",
  "src/features/telemetry/sockets/session-recovery.ts": "its own socket's",
  "src/features/video-rooms/video-rooms.service.ts": "a request's own wait",
  "src/http/server/keep-alive.ts": "its own clients",
  "src/http/server/slow-readers.ts": "its own replies",
  "src/onboard/autopilot.ts": "one to a drone",
  "src/onboard/drone-channels.ts": "one to a drone",
  "src/onboard/flight-log.ts": "one to a drone",
  "src/onboard/retry-queue.ts": "one to a drone",
  "src/onboard/stick-pilot.ts": "one to a drone",
  "src/platform/eventually.ts": "a caller's own wait",
  "src/platform/jobs/hourly.ts": "asks for a job, of which one waits",
  "src/platform/jobs/job-leases.ts":
    "releases a job only while its worker has not renewed it, in one statement",
  "src/platform/jobs/pool.ts": "its own connection",
  "src/platform/jobs/worker.ts": "its own workers; a job is one worker's at a time",
  "src/platform/postgres/session-connection.ts": "its own connection",
  "src/platform/process/lifecycle.ts": "waits while it stops",
  "src/platform/redis/client.ts": "its own connection",
  "src/platform/redis/subscriber.ts": "its own connection",
  "src/platform/retry.ts": "a caller's own wait",
  "src/relay/drone-watch.ts": "reads",
  "src/relay/redis/publisher.ts": "its own connection",
  "src/tunnel/client-configs/keyring.ts": "writes at the hub that has the lease, as lease tests try",
  "src/tunnel/client-configs/store.ts": "reads",
  "src/tunnel/ha/endpoints.ts": "writes at the hub that has the lease, as lease tests try",
  "src/tunnel/jumphost/pipe.ts": "its own pipes",
  "src/tunnel/ha/elector.ts": "its own candidacy, on which the API server decides",
  "src/tunnel/ha/lease-guard.ts": "its own node",
  "src/tunnel/reconcile/reconciler.ts":
    "its own node; only the hub that has the lease serves, as lease tests try",
  "src/tunnel/status/stats-poll.ts": "reads",
  "src/tunnel/ha/takeover.ts": "its own peers",
  "src/tunnel/os/supervised-process.ts": "its own process",
  "src/tunnel/wireguard/userspace.ts": "its own process",
  "src/vehicle/cluster/cluster-links.ts": "reads",
  "src/vehicle/cluster/leases.ts": "renews its own leases, compared with the whole of each",
  "src/vehicle/cluster/orphans.ts": "claims, of which one succeeds",
  "src/vehicle/cluster/subscription.ts": "asks for its own watchers",
  "src/vehicle/mavlink/commands/preconditions.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/commands/reposition.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/wire/exchange.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/heartbeat.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/status-text.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/telemetry/streams.ts": "its own link, of which a vehicle has one",
  "src/vehicle/pooled-link.ts": "its own link, under its drone's lease",
};

test.each([
  ["an interval", "setInterval(look, 1_000);"],
  [
    "an interval by another name",
    'import { setInterval as every } from "node:timers/promises"; for await (const _ of every(9)) look();',
  ],
  ["a timeout that sets itself again", "function again() { look(); setTimeout(again, 1_000); }"],
  [
    "one that does after what it waited for",
    "const again = () => { timer = setTimeout(() => void look().finally(again), 1_000); };",
  ],
  [
    "one of a class that does by way of another method",
    "class A { start() { this.t = setTimeout(() => void this.look(), 9); } async look() { await 1; this.start(); } }",
  ],
  [
    "a pause within a loop",
    'import { setTimeout as delay } from "timers/promises"; for (;;) { look(); await delay(9); }',
  ],
  [
    "a pause within a loop, made by hand",
    "async function f() { while (on) await new Promise((r) => setTimeout(r, 9)); }",
  ],
  [
    "a pause before a call of oneself",
    'import { setTimeout as pause } from "node:timers/promises"; async function f() { await pause(9); return f(); }',
  ],
])("%s is a recurring timer", (_what, source) => expect(hasRecurringTimer(source)).toBe(true));

test.each([
  [
    "a limit",
    "function ask() { const limit = setTimeout(() => fail(), 9); answer.then(() => clearTimeout(limit)); }",
  ],
  [
    "a pause",
    'import { setTimeout as delay } from "node:timers/promises"; async function f() { await delay(9); look(); }',
  ],
  ["a timeout beside a loop", "function f() { setTimeout(g, 9); } function g() { for (;;) look(); }"],
  [
    "a method of the same name",
    "class A { setIntervalOf() { this.delay(9); } refresh() { this.refresh(); } }",
  ],
])("%s is not a recurring timer", (_what, source) => expect(hasRecurringTimer(source)).toBe(false));

test("every file with a recurring timer is listed as safe in several processes", () => {
  const repeating = filesWith(hasRecurringTimer, /^(simvehicle|laptop|console)\//).map(
    (file) => `src/${file}`,
  );
  expect(repeating).toEqual(Object.keys(REPEATED).sort());
});
