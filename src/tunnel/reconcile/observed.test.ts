import { parseDump } from "./observed";

const line1 = "SECRETSECRET\tHUBKEY\t51823\toff";

test("a dump is read as the interface and its peers", () => {
  const observed = parseDump(
    `${line1}\nAAA\t(none)\t192.0.2.7:4000\t10.70.0.2/32\t1700000000\t12\t34\toff\nBBB\t(none)\t(none)\t(none)\t0\t0\t0\t25\n`,
  );
  expect({ ...observed, peers: [...observed.peers.values()] }).toEqual({
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

test("a peer whose line is the same is taken over from the dump before, and no other", () => {
  const [same, other, next] = [0, 12, 13].map(
    (received) => `A${received ? 1 : 0}\t(none)\t(none)\t10.70.0.2/32\t0\t${received}\t0\toff`,
  );
  const before = parseDump(`${line1}\n${same}\n${other}\n`).peers;
  const after = parseDump(`${line1}\n${same}\n${next}\n`, before).peers;
  const keys = [...before.keys()];
  expect(keys.map((key) => after.get(key) === before.get(key))).toEqual([true, false]);
  expect([...after.values()].map(({ receivedBytes }) => receivedBytes)).toEqual([0, 13]);
  // One that we changed since is read again.
  const changed = new Map([...before].map(([key, peer]) => [key, { ...peer, allowedIps: [] }]));
  expect(parseDump(`${line1}\n${same}\n`, changed).peers.get(keys[0] as never)?.allowedIps).toEqual([
    "10.70.0.2/32",
  ]);
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
