import type { Socket } from "node:net";
import { createServer } from "node:net";
import { atEndOfFile, freshRedis, redisClient } from "../../testing";
import type { Redis } from "./client";
import { connectRedis, encodeCommand, publishTo } from "./resp";

let url: URL;
let admin: Redis;

beforeAll(async () => {
  const server = await freshRedis();
  admin = await redisClient(server.url);
  url = new URL(server.url);
});

function as(username: string, password: string): string {
  const own = new URL(url);
  own.username = username;
  own.password = encodeURIComponent(password);
  return own.href;
}

const answers = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once("data", (reply) => resolve(String(reply))));

test("a command's lengths count bytes, not characters", () => {
  expect(encodeCommand("AUTH", "pässword").toString()).toBe("*2\r\n$4\r\nAUTH\r\n$9\r\npässword\r\n");
  expect(publishTo("10.71.0.2:gamepad_input").toString()).toBe(
    "*3\r\n$7\r\nPUBLISH\r\n$23\r\n10.71.0.2:gamepad_input\r\n$",
  );
});

test("a server that requires a login gets the URL's user and password, and its refusal is reported with its message", async () => {
  await admin.call("ACL", "SETUSER", "relay", "on", ">sécret/@:", "&*", "+@all");
  const socket = await connectRedis(as("relay", "sécret/@:"));
  socket.write(encodeCommand("ACL", "WHOAMI"));
  expect(await answers(socket)).toBe("$5\r\nrelay\r\n");
  socket.destroy();
  await expect(connectRedis(as("relay", "wrong"))).rejects.toThrow("WRONGPASS");
});

test("a closed port, and a server that closes, reject with the reason", async () => {
  const rude = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => void rude.close());
  const { port } = rude.address() as { port: number };
  await expect(connectRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow(/closed the connection|ECONNRESET/);
  await expect(connectRedis("redis://127.0.0.1:1")).rejects.toThrow("ECONNREFUSED");
});
