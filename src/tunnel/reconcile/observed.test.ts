import { parseDump } from "./observed";

const line1 = "SECRETSECRET\tHUBKEY\t51823\toff";

test("a dump is read as the interface and its peers", () => {
  const observed = parseDump(
    `${line1}\nAAA\t(none)\t192.0.2.7:4000\t10.70.0.2/32\t1700000000\t12\t34\toff\nBBB\t(none)\t(none)\t(none)\t0\t0\t0\t25\n`,
  );
  const { publicKey, listenPort } = observed;
  expect({ publicKey, listenPort, peers: [...observed.peers.values()] }).toEqual({
    publicKey: "HUBKEY",
    listenPort: 51823,
    peers: [
      {
        publicKey: "AAA",
        allowedIps: ["10.70.0.2/32"],
        endpoint: "192.0.2.7:4000",
        keepalive: false,
        latestHandshake: 1_700_000_000,
        receivedBytes: 12,
        sentBytes: 34,
      },
      {
        publicKey: "BBB",
        allowedIps: [],
        endpoint: undefined,
        keepalive: true,
        latestHandshake: 0,
        receivedBytes: 0,
        sentBytes: 0,
      },
    ],
  });
});

test("a peer whose line is the same is taken over from the dump before, in any order, and no other", () => {
  const line = (key: string, received = 0) => `${key}\t(none)\t(none)\t10.70.0.2/32\t0\t${received}\t0\toff`;
  const read = (...lines: string[]) => [line1, ...lines].join("\n");
  const before = parseDump(read(line("A"), line("B"), line("C")));
  expect(parseDump(read(line("C"), line("A"), line("B")), before).peers).toBe(before.peers);
  for (const keys of ["AB", "BC", "CA", ""]) {
    const { peers } = parseDump(read(...[...keys].map((key) => line(key))), before);
    expect([...peers.keys()].join("")).toBe(keys);
    for (const [key, peer] of peers) expect(peer).toBe(before.peers.get(key));
  }
  const [a, b] = [...parseDump(read(line("A"), line("B", 13)), before).peers.values()];
  expect(a).toBe([...before.peers.values()][0]);
  expect(b?.receivedBytes).toBe(13);
});

test("the hub's private key is nowhere in what was read", () => {
  expect(JSON.stringify(parseDump(`${line1}\n`))).not.toContain("SECRET");
});

test.each(["", "SECRETSECRET", `${line1}\nAAA\tSECRETSECRET\n`])(
  "a text that is no dump is refused and not quoted",
  (text) => {
    expect(() => parseDump(text)).toThrow("wg show dump");
    try {
      parseDump(text);
    } catch (error) {
      expect(String(error)).not.toContain("SECRET");
    }
  },
);
