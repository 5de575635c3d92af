import type { z } from "zod";
import { type Route, route } from "../../http/route";
import { InstanceChange, InstanceSpecs, InstanceStatus } from "./simulation.schema";
import type { Change, SimulationService } from "./simulation.service";

const failed = (message: string) => ({ status: "error", message, error: message });

const common = {
  tag: "Simulation instance",
  guard: "user",
  envelope: "B",
  errors: { unavailable: 400, internal: 400 },
  errorBodies: { simulation_refused: failed, forbidden: failed, unavailable: failed, internal: failed },
  documents: { 400: "Not possible in this state, or the provider failed: `status` is `error`." },
} as const;

/** `authorize` rejects with `forbidden` for a user who may not start and stop the instance. */
export function simulationRoutes(
  service: SimulationService,
  authorize: (userId: number) => Promise<void>,
): readonly Route[] {
  const changing = (
    path: "/simulator/start" | "/simulator/stop",
    summary: string,
    change: () => Promise<z.input<typeof InstanceChange>>,
  ): Route =>
    route({
      ...common,
      method: "post",
      path,
      summary,
      success: { status: 200, schema: InstanceChange },
      documents: {
        ...common.documents,
        403: "In the strict profile: you are no administrator and have no active subscription.",
      },
      handle: async ({ caller }) => {
        await authorize(caller.id);
        return change();
      },
    });
  return [
    route({
      ...common,
      method: "get",
      path: "/simulator/status",
      summary: "State, addresses, runtime and running cost of the simulation instance",
      success: { status: 200, schema: InstanceStatus },
      handle: async () => {
        const { instance, session } = await service.status();
        return {
          status: instance.state,
          ...shown(instance),
          started_at: session?.started_at.toISOString() ?? null,
          runtime_seconds: session?.runtime_seconds ?? null,
          cost_estimate: session?.cost ?? null,
        };
      },
    }),
    changing("/simulator/start", "Start the simulation instance", async () => {
      const { status, instance } = await service.start();
      const message = status === "info" ? "The instance runs already." : "The instance is starting.";
      return { status, message, ...shown(instance), session_cost: null };
    }),
    changing("/simulator/stop", "Stop the simulation instance", async () => {
      const change = await service.stop();
      const { status, instance, session } = change;
      return { status, message: farewell(change), ...shown(instance), session_cost: session?.cost ?? null };
    }),
    route({
      ...common,
      method: "get",
      path: "/simulator/metadata",
      summary: "Describe the simulation instance",
      success: { status: 200, schema: InstanceSpecs },
      handle: async () => ({ status: "success", data: await service.specs() }),
    }),
  ];
}

const shown = ({ launched_at: _, ...instance }: Change["instance"]) => instance;

function farewell({ status, session }: Change): string {
  if (status === "info") return "The instance is stopped already.";
  return session
    ? `The instance is stopping. The session's total cost is about ${session.cost.total.toFixed(2)}.`
    : "The instance is stopping. When its session began is not known, and so is its total cost.";
}
