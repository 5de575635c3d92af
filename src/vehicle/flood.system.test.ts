import { atEndOfFile } from "../testing";
import { floodingVehicle, floods } from "../testing/fakes/flooding-vehicle";
import { nextHost } from "../testing/fakes/tcp-vehicle";
import { until } from "../testing/until";
import { startJumphost } from "../testing/worlds/jumphost";
import { createLinkPool, type LinkTarget } from "../vehicle";

jest.setTimeout(60_000);

/** Ten seconds at the limit of bytes, and what sockets hold on the way; a flood without limits writes gigabytes. */
const MAX_BYTES = 60_000_000;

const cases: [kind: keyof typeof floods, via: "direct" | "jumphost"][] = [
  ["status texts", "direct"],
  ["heartbeats", "direct"],
  ["garbage", "jumphost"],
];
test.each(cases)(
  "a vehicle that floods %s through %s is read slowly, then hung up on with a reason, then dialled less often",
  async (kind, via) => {
    const jumphost = await startJumphost();
    const vehicle = await floodingVehicle(floods[kind], nextHost());
    atEndOfFile(async () => vehicle.stop());
    const pool = createLinkPool({ mavlink: { systemId: 245 }, jumphost, random: () => 0 });
    atEndOfFile(() => pool.drain(0));
    const target: LinkTarget = { key: "1", host: vehicle.host, port: vehicle.port, via };
    const states: string[] = [];
    let texts = 0;
    pool.subscribe(target, {
      onMessage: ({ type }) => {
        if (type === "logs") texts++;
      },
      onState: (state, reason) => states.push(reason ? `${state}: ${reason}` : state),
    });
    await until(() => states.includes("up"));
    await until(() => states.some((state) => state.startsWith("down")));
    expect(states).toContainEqual(expect.stringMatching(/^down: the vehicle sends more than a link carries/));
    await until(() => states.filter((state) => state.startsWith("down")).length === 2);
    // Of each link: a second's worth, and what comes in the three seconds until it is closed.
    expect(texts).toBeLessThanOrEqual(400 * states.filter((state) => state === "up").length);
    await until(() => vehicle.connections >= 2);
    expect(vehicle.connections).toBe(2);
    expect(vehicle.written).toBeLessThan(MAX_BYTES);
    pool.close("1");
    vehicle.stop();
  },
);

test("an order to a vehicle that floods status texts gets the reason", async () => {
  const vehicle = await floodingVehicle(floods["status texts"], nextHost());
  const pool = createLinkPool({ mavlink: { systemId: 245 } });
  atEndOfFile(() => pool.drain(0));
  const target: LinkTarget = { key: "1", host: vehicle.host, port: vehicle.port, via: "direct" };
  for (let at = 0; at < 2; at++)
    await expect(pool.withLink(target, (link) => link.arm())).rejects.toThrow(
      /sends more than a link carries/,
    );
});
