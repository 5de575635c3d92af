import { startJumphost } from "../jumphost";

/** The tunnel's jumphost in a process of its own, with drones on loopback, for whoever wants to kill it. */
startJumphost({}, Number(process.env.JUMPHOST_PORT)).then(() =>
  process.stdout.write("the jumphost is ready\n"),
);
process.on("disconnect", () => process.exit());
