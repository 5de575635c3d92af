import { DumpReader, parseDump } from "./observed";

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

test("the hub's private key is nowhere in what was read", () => {
  expect(JSON.stringify(parseDump(`${line1}\n`))).not.toContain("SECRET");
});

test.each(["", "SECRETSECRET", `${line1}\nAAA\tSECRETSECRET\n`])(
  "what is no dump is refused and not quoted",
  (text) => {
    expect(() => parseDump(text)).toThrow("wg show dump");
    try {
      parseDump(text);
    } catch (error) {
      expect(String(error)).not.toContain("SECRET");
    }
  },
);

test("of two dumps in a row only the peers whose lines differ are read anew", () => {
  const reader = new DumpReader();
  const dump = (received: number) =>
    `${line1}\nAAA\t(none)\t(none)\t10.70.0.2/32\t0\t${received}\t0\toff\nBBB\t(none)\t(none)\t10.70.0.3/32\t0\t0\t0\toff\n`;
  const [first, second] = [reader.read(dump(1)).peers(), reader.read(dump(2)).peers()];
  expect([...second.values()].map(({ receivedBytes }) => receivedBytes)).toEqual([2, 0]);
  const bbb = [...first.keys()][1] as never;
  expect(second.get(bbb)).toBe(first.get(bbb));
});
