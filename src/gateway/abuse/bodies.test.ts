import { gatewayProcess, meanwhile } from "../../testing/programs/gateway-process";
import { many, rawCaller } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { insertMissions } from "../../testing/worlds/plans";
import { startTestGateway } from "../../testing/worlds/start-gateway";

const CALLERS = 150;
/** What may be under way of one user: eight, and the one that goes beyond. */
const HELD = 9;
/** What one takes that is worked on, and one that waits; megabytes. */
const [PARSED, RAW] = [12, 2];

test("150 long batches of one user, of which none gets on, take little memory, and others are served meanwhile", async () => {
  const beside = await startTestGateway();
  const { db } = beside.deps;
  const gateway = await gatewayProcess(beside, { NODE_OPTIONS: "--max-old-space-size=256" });
  const [user, other] = [await beside.newUser(), await beside.newUser()];
  const [id = 0] = await insertMissions(db, user.id, { plans: 1, pointsEach: 3 });
  const row = { lat: 1, lng: 1, altitude: 1, sequence: 1, param1: 1, param2: 1, param3: 1, param4: 1 };
  const rows = JSON.stringify(Array.from({ length: 9_500 }, (_, at) => ({ id: at + 1_000, ...row })));
  const head = [
    `PATCH /api/v1/mission/${id}/points HTTP/1.1`,
    ...["Host: x", "Content-Type: application/json", `Content-Length: ${rows.length}`],
    `Authorization: Bearer ${user.token}`,
  ].join("\r\n");
  const before = gateway.memory().now;
  const held = await db.transaction();
  await held("missions").where({ id }).forUpdate().first();
  const { result, failed } = await meanwhile(gateway.api.as(other.token), "/user", async () => {
    const callers = await many(CALLERS, () => rawCaller(gateway.port, `${head}\r\n\r\n${rows}`));
    const answered = () => callers.map(({ heard }) => heard()).filter((text) => text !== "");
    await until(() => Promise.resolve(answered().length >= CALLERS - HELD), 60_000);
    await held.commit();
    await until(() => Promise.resolve(answered().length === CALLERS), 60_000);
    return answered();
  });
  expect(failed).toBe(0);
  const of = (status: string) => result.filter((text) => text.startsWith(`HTTP/1.1 ${status}`)).length;
  // Those of which only a part came before the others' were many are refused too.
  expect(of("500")).toBeLessThanOrEqual(HELD);
  expect(of("429")).toBe(CALLERS - of("500"));
  // What the memory's manager keeps for later comes to as much again.
  expect(gateway.memory().peak - before).toBeLessThan(2 * HELD * (PARSED + RAW));
}, 120_000);
