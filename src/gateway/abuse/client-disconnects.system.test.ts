import { setTimeout as delay } from "node:timers/promises";
import { rawClient, upgradeRequest } from "../../testing/raw-http";
import { scrape } from "../../testing/scrape";
import { until } from "../../testing/until";
import { insertMissions } from "../../testing/worlds/plans";
import { startTestGateway } from "../../testing/worlds/start-gateway";

const AT_ONCE = 16;
/** Requests that one user may have under way. */
const UNDER_WAY = 24;
/** When a client disconnects: while its request is read, waits or is handled, or while the reply is sent. */
const MOMENTS_MS = [0, 1, 3, 10, 30, 100, 300];
const ROUNDS = 3;

test("clients that disconnect at any moment of a request leave nothing behind, are counted as 499, and do not delay a stop", async () => {
  const gateway = await startTestGateway();
  const [user, other] = [await gateway.newUser(), await gateway.newUser()];
  const [id = 0] = await insertMissions(gateway.deps.db, user.id, {
    ...{ plans: 1, pointsEach: 2_000, label: "x".repeat(200) },
  });
  const port = Number(new URL(gateway.url).port);
  const head = (start: string, ...more: string[]) =>
    [`${start} HTTP/1.1`, "Host: x", `Authorization: Bearer ${user.token}`, ...more, "", ""].join("\r\n");
  const rows = JSON.stringify(Array.from({ length: 1_900 }, (_, at) => ({ id: at + 1, lat: 1, lng: 1 })));
  const json = (bytes: number | string) => ["Content-Type: application/json", `Content-Length: ${bytes}`];
  const batch = `PATCH /api/v1/mission/${id}/points`;
  const list = head(`GET /api/v1/mission/${id}`);
  const chunk = `4000\r\n${"[".repeat(0x4000)}\r\n`;
  const kinds: Record<string, string> = {
    "half a body": head(batch, ...json(rows.length)) + rows.slice(0, 200_000),
    "half a body in chunks":
      head(batch, json(0)[0] as string, "Transfer-Encoding: chunked") + chunk.repeat(8),
    "a body of which nothing fits": head(batch, ...json(rows.length)) + rows,
    "a body that is no JSON": head(batch, ...json(100_000)) + "[".repeat(100_000),
    "a body that is too large": head(batch, ...json(9_000_000)) + rows,
    "a body of another type": head(batch, `Content-Length: ${rows.length}`) + rows,
    "a body to nowhere": head("POST /api/v1/nowhere", ...json(rows.length)) + rows,
    "a body without a token": `${head("POST /api/v1/mission", ...json(60_000)).replace("Bearer", "")}${rows.slice(0, 60_000)}`,
    "a body for which there is no room to wait": head(batch, "Expect: 100-continue", ...json(rows.length)),
    "a long reply": list,
    "long replies one after the other": list.repeat(4),
    "a long reply's head": list.replace("GET", "HEAD"),
    "a list behind half a body": list + head(batch, ...json(rows.length)) + rows.slice(0, 100_000),
    "a Socket.IO client that polls": head(`GET /socket.io/?EIO=4&transport=polling&token=${user.token}`),
    "a Socket.IO client": upgradeRequest(`/socket.io/?EIO=4&transport=websocket&token=${user.token}`),
  };
  const leaves = Array.from({ length: ROUNDS }, () =>
    Object.values(kinds).flatMap((bytes) => MOMENTS_MS.map((ms) => ({ bytes, ms }))),
  ).flat();
  const leaving = Array.from({ length: AT_ONCE }, async () => {
    for (let next = leaves.pop(); next; next = leaves.pop()) {
      const { socket, closed } = await rawClient(port);
      // Some read what they are sent until they leave.
      if (leaves.length % 2 === 0) socket.pause();
      socket.write(next.bytes);
      await delay(next.ms);
      socket.resetAndDestroy();
      await closed;
    }
  });
  await Promise.all(leaving);
  // All that a user may have under way is free again.
  await until(async () => {
    const answers = await Promise.all(Array(UNDER_WAY).fill(`/mission/${id}`).map(user.api.get));
    return answers.every(({ status }) => status === 200);
  });
  expect((await other.api.patch(`/mission/${id}/points`, rows)).status).toBe(404);
  const counted = async () =>
    (await scrape(gateway.url)).value("fleet_http_requests_total", {
      method: "PATCH",
      route: "/mission/:mission_id/points",
      status: "499",
    });
  // A busy gateway may have seen each of the clients above leave before it began with their requests.
  await until(async () => {
    const { socket, closed } = await rawClient(port, kinds["half a body"]);
    await delay(100);
    socket.resetAndDestroy();
    await closed;
    return (await counted()) > 0;
  });
  const callers = await Promise.all(Object.values(kinds).map((bytes) => rawClient(port, bytes)));
  for (const { socket } of callers) socket.pause();
  await gateway.lifecycle.stop("the test is over");
  for (const { socket } of callers) socket.destroy();
}, 120_000);
