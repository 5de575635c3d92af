import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEndOfFile } from "../../clean-up";
import { until } from "../../until";
import { asRoot } from "../namespaces";
import { Network, type NetworkPath } from "./network";

/** Starts an echo server; returns its URL. */
async function echo(): Promise<string> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of a path. */
function caller({ url }: NetworkPath) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  let received = "";
  let state = "nothing";
  socket.on("connect", () => {
    state = "connected";
  });
  socket.on("data", (chunk) => {
    received += chunk;
  });
  for (const event of ["error", "close"]) socket.on(event, () => (state = event));
  atEndOfFile(async () => void socket.destroy());
  return {
    say: (text: string) => void socket.write(text),
    receives: (text: string) => until(() => received === text),
    get received() {
      return received;
    },
    get state() {
      return state;
    },
  };
}

let network: Network;
let neighbour: string;
/** Resolves when a client behind a cut path has retransmitted. */
const sentAgain = async (): Promise<void> => {
  const before = network.lost;
  await until(() => network.lost > before + 1);
};

beforeAll(async () => {
  network = Network.own();
  neighbour = await echo();
});

asRoot("a path that loses everything reports no error, and the bytes arrive when it is mended", async () => {
  const [path, other] = [network.path(neighbour), network.path(neighbour)];
  const [before, witness] = [caller(path), caller(other)];
  before.say("one ");
  await before.receives("one ");
  network.lose([path], 1);
  before.say("two");
  const during = caller(path);
  during.say("three");
  witness.say("carried");
  await witness.receives("carried");
  await sentAgain();
  expect([before.received, before.state, during.received, during.state]).toEqual([
    "one ",
    "connected",
    "",
    "nothing",
  ]);
  network.mend([path]);
  await before.receives("one two");
  await during.receives("three");
});

asRoot("a path that is replaced carries new connections, and earlier ones stay silent", async () => {
  const path = network.path(neighbour);
  const before = caller(path);
  before.say("one ");
  await before.receives("one ");
  network.lose([path], 1);
  before.say("two");
  network.replace([path]);
  const after = caller(path);
  after.say("three");
  await after.receives("three");
  await sentAgain();
  // Cut once more and mended, it does not bring the first ones back.
  network.lose([path], 1);
  network.mend([path]);
  after.say(" four");
  await after.receives("three four");
  await sentAgain();
  expect([before.received, before.state]).toEqual(["one ", "connected"]);
});

asRoot("a path that loses some packets carries all bytes in order", async () => {
  const path = network.path(neighbour);
  network.lose([path], 0.05);
  const one = caller(path);
  const words = Array.from({ length: 300 }, (_, at) => `${at} `);
  const before = network.lost;
  for (const word of words) one.say(word);
  await one.receives(words.join(""));
  await until(() => network.lost > before);
  network.mend([path]);
});
