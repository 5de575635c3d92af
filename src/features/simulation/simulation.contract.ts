import type { ContractCase } from "../../testing/contract";

/** How the rows answer where no instance is configured; with one they are tried in `simulation.test.ts`. */
const rows = [
  ["GET", "/simulator/status"],
  ["POST", "/simulator/start"],
  ["POST", "/simulator/stop"],
  ["GET", "/simulator/metadata"],
] as const;

export const simulationContract: readonly ContractCase[] = rows.map(([method, path]) => ({
  route: `${method} ${path}`,
  title: "answers 400 with status error where there is no instance",
  run: async ({ user }) => {
    expect(await user.api.send(method, path)).toMatchObject({
      status: 400,
      body: { status: "error", message: expect.stringContaining("SIMULATION_PROVIDER") },
    });
  },
}));
