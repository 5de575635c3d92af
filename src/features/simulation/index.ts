import { DomainError } from "../../domain/errors";
import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { findUser } from "../accounts";
import { findSubscription, isActive } from "../billing";
import { Ec2Provider } from "./ec2-provider";
import { KubernetesProvider } from "./kubernetes-provider";
import { ProcessProvider } from "./process-provider";
import type { SimulationProvider } from "./provider";
import { simulationRoutes } from "./simulation.routes";
import { SimulationService } from "./simulation.service";

/** The machine that simulates vehicles: its state, its start and stop, and what it costs. */
export function simulation({
  config,
  db,
  clock,
  lifecycle,
}: Pick<Services, "config" | "db" | "clock" | "lifecycle">): { readonly routes: readonly Route[] } {
  const provider = providerOf(config);
  lifecycle.onClose("simulation", () => provider?.close?.());
  const perHour = config.SIMULATION_HOURLY_RATE;
  const authorize = async (userId: number) => {
    if (config.ACCESS_PROFILE === "strict" && !(await mayOperate(db, userId)))
      throw new DomainError("forbidden", "Only administrators and subscribers start and stop the instance.");
  };
  return { routes: simulationRoutes(new SimulationService({ db, clock, provider, perHour }), authorize) };
}

/** The instance serves all users and costs money: it is for administrators and for users who pay. */
async function mayOperate(db: Db, userId: number): Promise<boolean> {
  if ((await findUser(db, userId))?.level === "ADMIN") return true;
  const subscription = await findSubscription(db, userId);
  return subscription !== undefined && isActive(subscription);
}

function providerOf(config: GatewayConfig): SimulationProvider | undefined {
  switch (config.SIMULATION_PROVIDER) {
    case "none":
      return undefined;
    case "process":
      return new ProcessProvider(portBeyond(config));
    case "kubernetes":
      return new KubernetesProvider({ statefulSet: config.SIMULATION_STATEFULSET });
    case "ec2":
      return new Ec2Provider({
        instanceId: config.EC2_INSTANCE_ID ?? "",
        endpoint: config.EC2_ENDPOINT,
      });
  }
}

/** Ports that are left to the simulator beside the gateway; more where it has more vehicles. */
const PORTS_BESIDE = 30;

/** Port of the instance's first vehicle, beyond those of the simulator that runs beside the gateway. */
const portBeyond = ({ SIMULATOR_PORT, SIMULATOR_COPTERS, SIMULATOR_ROVERS }: GatewayConfig): number =>
  SIMULATOR_PORT + Math.max(PORTS_BESIDE, SIMULATOR_COPTERS + SIMULATOR_ROVERS);
