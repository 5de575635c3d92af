import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { atEndOfFile } from "../testing";
import { ApiClient } from "./api-client";

/** A fake gateway: answers every path with the reply it was given. */
async function clientOf(status: number, body: unknown): Promise<ApiClient> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test.each([
  ["a bare error", { error: "not armable" }, "not armable"],
  ["a bare message", { message: "Drone not found" }, "Drone not found"],
  ["an enveloped error", { success: false, error: { code: 500, message: "no user" } }, "no user"],
  ["a failed login's array", [{ error: "Bad credentials" }, 401], "Bad credentials"],
])("%s rejects with the server's message", async (_name, body, words) => {
  const api = await clientOf(500, body);
  await expect(api.get("/anything")).rejects.toThrow(`GET /anything answered 500: ${words}`);
});

test("a refused login is reported apart from a failing gateway", async () => {
  const user = { username: "pilot@example.com", password: "guess" };
  expect(await (await clientOf(401, [{ error: "no" }, 401])).canLogin(user)).toBe(false);
  await expect((await clientOf(500, { error: "broken" })).canLogin(user)).rejects.toThrow("broken");
});
