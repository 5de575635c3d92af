import { type Route, route } from "../../http/route";
import { InstanceChange, InstanceSpecs, InstanceStatus } from "./simulation.schema";
import type { Change, SimulationService } from "./simulation.service";

const common = {
  tag: "Simulation instance",
  guard: "user",
  envelope: "B",
  errors: { unavailable: 400, internal: 400 },
  documents: { 400: "Not in this state, or the provider failed: `status` is `error`." },
} as const;

const failed = (message: string) => ({ status: "error", message, error: message });
const errorBodies = { simulation_refused: failed, unavailable: failed, internal: failed };

export function simulationRoutes(service: SimulationService): readonly Route[] {
  return [
    route({
      ...common,
      errorBodies,
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
    route({
      ...common,
      errorBodies,
      method: "post",
      path: "/simulator/start",
      summary: "Start the simulation instance",
      success: { status: 200, schema: InstanceChange },
      handle: async () => {
        const change = await service.start();
        return {
          status: change.status,
          message: change.status === "info" ? "The instance runs already." : "The instance is starting.",
          ...shown(change.instance),
          session_cost: null,
        };
      },
    }),
    route({
      ...common,
      errorBodies,
      method: "post",
      path: "/simulator/stop",
      summary: "Stop the simulation instance",
      success: { status: 200, schema: InstanceChange },
      handle: async () => {
        const change = await service.stop();
        return {
          status: change.status,
          message: farewell(change),
          ...shown(change.instance),
          session_cost: change.session?.cost ?? null,
        };
      },
    }),
    route({
      ...common,
      errorBodies,
      method: "get",
      path: "/simulator/metadata",
      summary: "What the simulation instance is",
      success: { status: 200, schema: InstanceSpecs },
      handle: () => ({ status: "success", data: service.specs() }),
    }),
  ];
}

const shown = ({ state, instance_id, public_ip, private_ip }: Change["instance"]) => ({
  state,
  instance_id,
  public_ip,
  private_ip,
});

function farewell({ status, session }: Change): string {
  if (status === "info") return "The instance is stopped already.";
  return session
    ? `The instance is stopping. The session's total cost is about ${session.cost.total.toFixed(2)}.`
    : "The instance is stopping. When its session began is not known, and so is its total cost.";
}
