import { createInterface } from "node:readline";
import { addressPolicy } from "../../tunnel/jumphost/address-policy";
import { createLinkPool, type LinkTarget } from "../../vehicle";
import { LOOPBACK_DRONES, startJumphost } from "../worlds/jumphost";

/**
 * A gateway's links in a process of its own, which a test starts in a network namespace: opens a link to the vehicle,
 * directly or through a jumphost beside it, prints "open", and answers each line "arm" with that order's outcome.
 */
async function main([host = "", port = "", via = "direct"]: string[]): Promise<void> {
  const addresses = addressPolicy({ drones: LOOPBACK_DRONES, simulatorHosts: [host] });
  const jumphost = via === "jumphost" ? { url: (await startJumphost({ addresses })).url } : undefined;
  const pool = createLinkPool({ mavlink: { systemId: 245 }, ...(jumphost && { jumphost }) });
  const target = { key: "1", host, port: Number(port), via } as LinkTarget;
  await pool.withLink(target, async () => {});
  console.log("open");
  for await (const _arm of createInterface({ input: process.stdin })) {
    const outcome = pool.withLink(target, (link) => link.arm());
    console.log(
      await outcome.then(
        ({ result }) => result,
        ({ code }) => code,
      ),
    );
  }
  process.exit();
}

void main(process.argv.slice(2));
