import { type GateReason, type SubscriptionStatus, type VehicleKind, vehicleGate } from "./vehicle-gate";

type Row = [kind: VehicleKind, ownedOfKind: number, canAdd: boolean, reason: GateReason];

const inactive: SubscriptionStatus[] = [
  "incomplete",
  "incomplete_expired",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
];

function ask(kind: VehicleKind, ownedOfKind: number, status?: SubscriptionStatus, vehicle_count = 1) {
  const subscription = status && { status, vehicle_count };
  // The other kind is always over any limit: only vehicles of the asked kind may count.
  const owned = { physical: 99, sitl: 99, [kind]: ownedOfKind };
  return vehicleGate(kind, owned, subscription);
}

describe("without a subscription", () => {
  test.each<Row>([
    ["sitl", 0, true, "free_tier"],
    ["sitl", 1, false, "vehicle_limit_reached"],
    ["sitl", 2, false, "vehicle_limit_reached"],
    ["physical", 0, false, "no_subscription"],
    ["physical", 1, false, "no_subscription"],
  ])("a %s vehicle beside %i of its kind: %s, %s", (kind, owned, can_add, reason) => {
    expect(ask(kind, owned)).toMatchObject({ can_add, reason });
  });
});

describe.each(inactive)("with a subscription that is %s", (status) => {
  test.each<Row>([
    ["sitl", 0, true, "free_tier"],
    ["sitl", 1, false, "subscription_inactive"],
    ["sitl", 2, false, "subscription_inactive"],
    ["physical", 0, false, "subscription_inactive"],
    ["physical", 1, false, "subscription_inactive"],
  ])("a %s vehicle beside %i of its kind: %s, %s", (kind, owned, can_add, reason) => {
    expect(ask(kind, owned, status, 5)).toMatchObject({ can_add, reason });
  });
});

describe.each<SubscriptionStatus>(["active", "trialing"])("with a subscription that is %s", (status) => {
  test.each<[...Row, paidFor: number]>([
    ["physical", 0, true, "allowed", 1],
    ["physical", 1, false, "vehicle_limit_reached", 1],
    ["physical", 2, false, "vehicle_limit_reached", 1],
    ["physical", 2, true, "allowed", 3],
    ["physical", 3, false, "vehicle_limit_reached", 3],
    ["physical", 4, false, "vehicle_limit_reached", 3],
    ["sitl", 0, true, "allowed", 1],
    ["sitl", 1, true, "allowed", 1],
    ["sitl", 2, false, "vehicle_limit_reached", 1],
    ["sitl", 3, true, "allowed", 3],
    ["sitl", 4, false, "vehicle_limit_reached", 3],
    ["sitl", 5, false, "vehicle_limit_reached", 3],
  ])("a %s vehicle beside %i of its kind: %s, %s, when %i are paid for", (...row) => {
    const [kind, owned, can_add, reason, paidFor] = row;
    expect(ask(kind, owned, status, paidFor)).toMatchObject({ can_add, reason });
  });
});

test("a refusal names the remedy", () => {
  expect(ask("physical", 0).message).toMatch(/Subscribe/);
  expect(ask("sitl", 1).message).toMatch(/Subscribe/);
  expect(ask("physical", 0, "past_due").message).toMatch(/Renew/);
  expect(ask("physical", 2, "active", 2).message).toBe(
    "Your subscription covers 2 physical vehicles, and you have 2. Raise its vehicle count or delete a vehicle.",
  );
});
