import { probeDuring, startGatewayProcess } from "../../testing/programs/gateway-process";
import { createInBatches, rawClient } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { startTestGateway } from "../../testing/worlds/start-gateway";

const CALLERS = 150;
/** Requests that one user may have under way. */
const UNDER_WAY = 24;
const BODY_BYTES = 1_000_000;
/** Of a byte each. */
const CHUNKS = 30_000;

test("150 unfinished bodies of one user take bounded memory, and other users are served", async () => {
  const beside = await startTestGateway();
  const gateway = await startGatewayProcess(beside, { NODE_OPTIONS: "--max-old-space-size=256" });
  const [user, other] = [await beside.newUser(), await beside.newUser()];
  const head = [
    "PATCH /api/v1/mission/1/points HTTP/1.1",
    ...["Host: x", "Content-Type: application/json", `Content-Length: ${BODY_BYTES + 1}`],
    `Authorization: Bearer ${user.token}`,
  ].join("\r\n");
  const body = `[${"1,".repeat(BODY_BYTES / 2 - 1)}`;
  const before = gateway.memory().now;
  const { result, failed } = await probeDuring(gateway.api.as(other.token), "/user", async () => {
    const callers = await createInBatches(CALLERS, () => rawClient(gateway.port, `${head}\r\n\r\n${body}`));
    // A refusal that comes while the client still sends may end as a reset without its text.
    const waiting = () =>
      callers.filter(({ received: heard, socket }) => heard() === "" && !socket.destroyed);
    await until(() => waiting().length === UNDER_WAY, 60_000);
    for (const { socket } of callers) socket.destroy();
    return new Set(callers.map(({ received: heard }) => heard().split("\r\n")[0]));
  });
  expect(failed).toBe(0);
  expect([...result].toSorted()).toEqual(["", "HTTP/1.1 429 Too Many Requests"]);
  // The allocator keeps as much again for later.
  expect(gateway.memory().peak - before).toBeLessThan((2 * 2 * UNDER_WAY * BODY_BYTES) / 2 ** 20);
  await until(async () => (await gateway.api.as(user.token).get("/user")).status === 200);
}, 120_000);

test("100 bodies in chunks of a byte take bounded memory, and other users are served", async () => {
  const beside = await startTestGateway();
  const gateway = await startGatewayProcess(beside, { NODE_OPTIONS: "--max-old-space-size=256" });
  const [user, other] = [await beside.newUser(), await beside.newUser()];
  const head = [
    "POST /api/v1/mission HTTP/1.1",
    ...["Host: x", "Content-Type: application/json", "Transfer-Encoding: chunked"],
    `Authorization: Bearer ${user.token}`,
  ].join("\r\n");
  const body = `${"1\r\n \r\n".repeat(CHUNKS)}0\r\n\r\n`;
  const before = gateway.memory().now;
  const { result, failed } = await probeDuring(gateway.api.as(other.token), "/user", async () => {
    const callers = await createInBatches(100, () => rawClient(gateway.port, `${head}\r\n\r\n${body}`));
    await until(() => callers.every(({ received }) => received() !== ""), 60_000);
    for (const { socket } of callers) socket.destroy();
    return new Set(callers.map(({ received }) => received().split("\r\n")[0]));
  });
  expect(failed).toBe(0);
  expect(result).toContain("HTTP/1.1 400 Bad Request");
  expect(gateway.memory().peak - before).toBeLessThan(400);
}, 120_000);
