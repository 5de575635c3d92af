import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Server } from "socket.io";
import { WebSocket, WebSocketServer } from "ws";
import { pilotRoutes } from "../../domain/relay-sockets";
import { SOCKETS_PATH } from "../../features/telemetry";
import { DRONE_PATH } from "../../relay/app";
import { atEndOfFile } from "../../testing";
import { type BadCredentials, badCredentials, validTokens } from "../../testing/access/bad-credentials";
import { createUserObjects, TEST_EDGE_SECRET, type UserObjects } from "../../testing/access/user-objects";
import { eventually, until } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { startTestRelay, type TestRelay } from "../../testing/worlds/start-relay";
import { tunnelWorld } from "../../testing/worlds/start-tunnel";
import type { Tunnel } from "../../tunnel";
import { SimulatedOs } from "../../tunnel/os/simulated-os";
import { statusRoutes } from "../../tunnel/status/routes";
import type { StatusView } from "../../tunnel/status/view";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

const TUNNEL_SECRET = "a tunnel secret of enough length";

const tokenOf = (headers: Readonly<Record<string, string>>) =>
  /^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1] ?? "";

describe.each(["contract", "strict"] as const)("in the %s profile", (profile) => {
  const strict = profile === "strict";
  let gateway: TestGateway;
  let own: UserObjects;
  let others: UserObjects;
  let bad: BadCredentials;
  /** By what is wrong with it, each token that opens no socket. */
  let tokens: [kind: string, token: string][];

  beforeAll(async () => {
    gateway = await startTestGateway({
      ACCESS_PROFILE: profile,
      EDGE_SECRET: TEST_EDGE_SECRET,
      LINK_CONNECT_TIMEOUT_MS: "50",
    });
    [own, others] = [await createUserObjects(gateway), await createUserObjects(gateway)];
    bad = await badCredentials(gateway, own.user, own.roomToken);
    const { refresh, reset } = validTokens(gateway, own.user);
    tokens = Object.entries({ ...bad, "a refresh token": refresh, "a reset token": reset }).map(
      ([kind, headers]) => [kind, tokenOf(headers)],
    );
  });

  describe("Socket.IO", () => {
    const watch = (token: string | undefined, transports = ["websocket"]) =>
      new TestWatcher(gateway.url, token, { transports });

    test("a bad token does not connect, by WebSocket or polling; a logged-out token connects in the contract profile only", async () => {
      const connected: string[] = [];
      for (const [kind, token] of tokens)
        for (const transport of kind === "no token" ? ["websocket", "polling"] : ["websocket"]) {
          const watcher = watch(token, [transport]);
          await eventually(`an answer to ${kind}`, () => watcher.received.length > 0);
          if (watcher.all("connected").length > 0) connected.push(kind);
          else await eventually(`${kind} is hung up on`, () => watcher.socket.disconnected);
          expect(watcher.all("error").length + watcher.all("connected").length).toBe(1);
          watcher.socket.disconnect();
        }
      expect(connected).toEqual(strict ? [] : ["a logged-out token"]);
    });

    /** The answer to each event of the server for another user's drone. */
    const asked = {
      subscribe_telemetry: strict ? "error" : "subscription_confirmed",
      // The room was empty, and the confirmation reveals nothing else.
      unsubscribe_telemetry: "subscription_confirmed",
      // They name no drone: the fleet is the token's user's.
      subscribe_fleet: "subscription_confirmed",
      unsubscribe_fleet: "subscription_confirmed",
    } as const;

    test("every event of the server is tried with another user's drone", async () => {
      const watcher = watch(own.user.token);
      await watcher.next("connected");
      const server = Reflect.get(gateway.features.watchers, "io") as Server;
      expect([...server._nsps.keys()]).toEqual(["/"]);
      const [socket] = [...server.sockets.sockets.values()];
      const librarys = ["error", "disconnecting", "disconnect"];
      const listened = () =>
        socket
          ?.eventNames()
          .map(String)
          .filter((name) => !librarys.includes(name));
      expect(listened()).toEqual(Object.keys(asked));
      // One that is added is seen.
      socket?.on("take_control", () => {});
      expect(listened()).toEqual([...Object.keys(asked), "take_control"]);
      // Beside answers a watcher is told its place in the stream, and, at any time, that nothing is heard of a drone.
      const answers = () =>
        watcher.received.filter(
          ({ event, data }) => event !== "session" && !String(data.message).includes("cannot be reached"),
        );
      for (const [event, answer] of Object.entries(asked)) {
        watcher.clear();
        watcher.socket.emit(event, { drone_id: others.drone, stream_type: "gps" });
        await eventually(`an answer to ${event}`, () => answers().length > 0);
        expect([event, answers()[0]?.event]).toEqual([event, answer]);
      }
      watcher.clear();
      watcher.socket.emit("subscribe_telemetry", { drone_id: own.drone, stream_type: "gps" });
      expect(await watcher.next("subscription_confirmed")).toMatchObject({ drone_id: own.drone });
      watcher.socket.emit("subscribe_fleet", { user_id: others.user.id });
      const { drones } = await watcher.next("fleet_data");
      const ids = drones.map(({ drone_id }: { drone_id: number }) => drone_id);
      expect(ids).toContain(own.drone);
      expect(ids).not.toContain(others.drone);
    });

    test("a drone's address in a header does not connect a watcher", async () => {
      const reply = await fetch(`${gateway.url}${SOCKETS_PATH}?EIO=4&transport=polling`, {
        headers: { "x-drone-ip": own.ip, "x-edge-secret": TEST_EDGE_SECRET },
      });
      expect(await reply.text()).not.toContain("connected");
    });
  });

  describe("the relay", () => {
    let relay: TestRelay;
    beforeAll(async () => {
      relay = await startTestRelay({ ACCESS_PROFILE: profile }, gateway);
    });

    if (strict) {
      test.each(pilotRoutes)("/%s is closed with 4401 for every bad token", async (route) => {
        for (const [kind, token] of tokens) {
          const { code } = await relay.pilot(`/${route}/${own.drone}?access_token=${token}`).closed;
          expect([kind, code]).toEqual([kind, 4401]);
        }
      });

      test.each(pilotRoutes)("/%s is closed with 4403 for another user's drone", async (route) => {
        const pilot = relay.pilot(`/${route}/${others.drone}?access_token=${own.user.token}`);
        expect((await pilot.closed).code).toBe(4403);
        expect(pilot.frames).toEqual([]);
      });

      test("only the owner gets a drone's address", async () => {
        const ask = async (id: number, headers: Record<string, string>) =>
          (await fetch(`${relay.url}${DRONE_PATH.replace(":id", String(id))}`, { headers })).status;
        for (const [kind, headers] of Object.entries(bad))
          expect([kind, await ask(own.drone, headers)]).toEqual([kind, 401]);
        const { access } = validTokens(gateway, own.user);
        expect(await ask(others.drone, access)).toBe(404);
        expect(await ask(own.drone, access)).toBe(200);
      });
    } else {
      test("a client without a valid token steers any drone and gets its address", async () => {
        const redis = await relay.redis();
        for (const query of ["", `?access_token=${tokenOf(bad["an expired token"] ?? {})}`]) {
          const pilot = await relay.pilot(`/redispad/${own.drone}${query}`).open();
          await until(async () => {
            await redis.publish(`${own.ip}:output`, "hello");
            return pilot.frames.includes("hello");
          });
          pilot.socket.terminate();
        }
        expect(await (await fetch(`${relay.url}/drone/${own.drone}`)).json()).toMatchObject({ ip: own.ip });
      });

      test("a client without a valid token reaches any drone's own WebSocket", async () => {
        const { db } = gateway.deps;
        const heard: string[] = [];
        const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
        atEndOfFile(async () => void server.close());
        server.on("connection", (socket) => {
          socket.on("message", (data) => {
            heard.push(String(data));
            socket.send(`heard ${data}`);
          });
        });
        await once(server, "listening");
        const { drone } = await createUserObjects(gateway);
        await db("vpn_addresses").insert({ ip: "127.0.0.1", range: "simulated" });
        await db("drones").where({ id: drone }).update({ ip: "127.0.0.1" });
        const { port } = server.address() as AddressInfo;
        const callers = tokens.filter(([kind]) => ["no token", "an expired token"].includes(kind));
        for (const [kind, token] of callers) {
          const pilot = await relay.pilot(`/gamepad/${drone}?port=${port}&access_token=${token}`).open();
          pilot.send(kind);
          await until(() => pilot.frames.includes(`heard ${kind}`));
          pilot.socket.terminate();
        }
        expect(heard).toEqual(callers.map(([kind]) => kind));
      });
    }
  });

  describe("the tunnel service", () => {
    let tunnel: Tunnel;
    const paths = statusRoutes({} as StatusView).map(({ path }) => path.replace(":ip", "10.71.240.0"));
    /** Headers with a wrong secret, such as a user's token. */
    const secrets = (): Record<string, string>[] => [
      {},
      ...Object.values(bad),
      { authorization: "Bearer " },
      { authorization: TUNNEL_SECRET },
      { authorization: `Bearer ${TUNNEL_SECRET.slice(1)}` },
      { "x-edge-secret": TUNNEL_SECRET, cookie: `secret=${TUNNEL_SECRET}` },
      validTokens(gateway, own.user).access,
    ];
    beforeAll(async () => {
      const world = await tunnelWorld();
      const env = {
        ACCESS_PROFILE: profile,
        TUNNEL_API_SECRET: TUNNEL_SECRET,
        EDGE_SECRET: TEST_EDGE_SECRET,
      };
      tunnel = await world.start({ os: new SimulatedOs(), dataplane: "auto" }, env);
    });

    test("the status API requires the bearer secret in the strict profile, and nothing in the contract profile", async () => {
      expect(paths.length).toBeGreaterThan(5);
      const ask = async (path: string, headers: Record<string, string>) =>
        (await fetch(`${tunnel.url}${path}`, { headers })).status === 401 ? "refused" : "asked";
      for (const path of paths) {
        for (const headers of secrets())
          expect([path, headers, await ask(path, headers)]).toEqual([
            path,
            headers,
            strict ? "refused" : "asked",
          ]);
        expect(await ask(path, { authorization: `Bearer ${TUNNEL_SECRET}` })).toBe("asked");
      }
    });

    const dial = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const socket = new WebSocket(tunnel.jumphostUrl, { headers });
        socket.on("unexpected-response", (_, response) => resolve(response.resume().statusCode));
        socket.on("open", () => reject(new Error("A pipe is open.")));
        socket.on("error", reject);
      });

    test("the jumphost requires the bearer secret in the strict profile, and dials only addresses of drones", async () => {
      const destination = { "x-drone-ip": "127.0.0.1", "x-drone-port": "22" };
      for (const headers of secrets())
        expect([headers, await dial({ ...headers, ...destination })]).toEqual([headers, strict ? 401 : 403]);
      const good = { authorization: `Bearer ${TUNNEL_SECRET}` };
      for (const ip of ["127.0.0.1", "10.70.0.1", "10.71.0.1", "169.254.169.254", "10.69.0.1", "0.0.0.0"])
        expect([ip, await dial({ ...good, ...destination, "x-drone-ip": ip })]).toEqual([ip, 403]);
    });
  });
});
