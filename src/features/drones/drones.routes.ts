import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { nanAsNull } from "../../domain/mission-item";
import { ids, Message, type Route, route, SerializedJson } from "../../http/route";
import { orderedModes, type Param, stoppingModes, type VehicleCalls } from "../../vehicle";
import type { DroneLinks } from "./drone-links";
import {
  ConnectionQuery,
  ConnectionReply,
  DroneChange,
  DroneReply,
  MissionQuery,
  ModesReply,
  NewDroneRequest,
  ParamsQuery,
  ParamsReply,
  PullReply,
  toDroneReply,
  toNewDroneReply,
} from "./drones.schema";
import type { DronesService } from "./drones.service";

const common = { tag: "Drones", guard: "user", envelope: "B" } as const;
const params = ids("drone_id");
const DroneList = z.array(DroneReply);
const refusals = {
  402: "The subscription does not cover another vehicle. The message ends with the reason.",
  409: "In the profile `strict`: every simulated vehicle of this kind is in use.",
};

export function droneRoutes(service: DronesService, links: DroneLinks): readonly Route[] {
  return [
    route({
      ...common,
      method: "post",
      path: "/drone",
      summary: "Add a drone",
      description:
        "A physical drone gets a VPN address and an activation token, which is shown only here. A simulated drone without a `port` gets a vehicle of the service's simulator that no other drone has. When there is none, it is refused in the profile `strict`, and shares one in the profile `contract`.",
      body: NewDroneRequest,
      success: { status: 201, schema: DroneReply },
      documents: refusals,
      handle: async ({ caller, body }) => toNewDroneReply(await service.create(caller.id, body)),
    }),
    route({
      ...common,
      method: "put",
      path: "/drone/:drone_id",
      summary: "Change a drone",
      description:
        "Keys that are left out stay as they are. Another `type` makes the drone a new device: the subscription must cover it, and it gets another address and other tokens.",
      params,
      body: DroneChange,
      success: { status: 201, schema: DroneReply },
      documents: refusals,
      handle: async ({ caller, params, body }) => {
        const { drone, renewed } = await service.change(caller.id, params.drone_id, body);
        return renewed ? toNewDroneReply(drone) : toDroneReply(drone);
      },
    }),
    route({
      ...common,
      method: "delete",
      path: "/drone/:drone_id",
      summary: "Delete a drone",
      description: "The drone's connections are closed. Its executions and assets stay yours.",
      params,
      success: { status: 201, schema: Message },
      handle: async ({ caller, params }) => {
        await service.delete(caller.id, params.drone_id);
        return { message: "The drone was deleted." };
      },
    }),
    route({
      ...common,
      method: "get",
      path: "/drones",
      summary: "Your drones",
      success: { status: 201, schema: DroneList },
      handle: async ({ caller }) => new SerializedJson(await service.listJson(caller.id)),
    }),
    route({
      ...common,
      method: "get",
      path: "/drones/mission",
      summary: "Your drones that use a mission",
      query: MissionQuery,
      success: { status: 201, schema: DroneList },
      handle: async ({ caller, query }) =>
        new SerializedJson(await service.listJson(caller.id, query.missionId)),
    }),
    route({
      ...common,
      method: "get",
      path: "/drone/action/connection",
      summary: "Open the connection to a drone",
      description: "Waits up to five seconds for the vehicle's heartbeat. An open connection is kept.",
      query: ConnectionQuery,
      success: { status: 200, schema: ConnectionReply },
      errors: everyFailureIs400,
      documents: { 400: "No such drone of yours, or it does not answer in time; the message says which." },
      handle: async ({ caller, query }) => {
        await links.use(caller.id, query.id, async () => {});
        return { drone_id: query.id };
      },
    }),
    route({
      ...common,
      method: "delete",
      path: "/drone/action/connection",
      summary: "Close the connection to a drone",
      description: "Clients that watch its telemetry are told that the stream ended.",
      query: ConnectionQuery,
      success: { status: 200, schema: Message },
      errors: everyFailureIs400,
      handle: async ({ caller, query }) => {
        const wasOpen = await links.close(caller.id, query.id);
        return { message: wasOpen ? "The connection is closed." : "There was no open connection." };
      },
    }),
    route({
      ...common,
      method: "get",
      path: "/drone/:drone_id/modes",
      summary: "The flight modes that an order can enter",
      description: "As the vehicle's autopilot has them. Waits up to five seconds for its heartbeat.",
      params,
      success: { status: 200, schema: ModesReply },
      handle: async ({ caller, params }) =>
        links.use(caller.id, params.drone_id, async ({ vehicle }) => ({
          autopilot: vehicle.autopilot,
          vehicle_type: vehicle.kind,
          stopping: stoppingModes(vehicle)[0],
          modes: orderedModes(vehicle),
        })),
    }),
    route({
      ...common,
      method: "get",
      path: "/drone/:drone_id/params",
      summary: "Read parameters from the vehicle",
      description:
        "Those that are named, or all of them with `all=true`, in the vehicle's order. A part of all is an error that says how many came.",
      params,
      query: ParamsQuery,
      success: { status: 200, schema: ParamsReply },
      handle: async ({ caller, params, query }) => ({
        params: (
          await links.use(caller.id, params.drone_id, (link) =>
            query.params ? link.readParams(query.params) : allParams(link),
          )
        ).map(({ param_id, value }) => ({ param_id, value: nanAsNull(value) })),
      }),
    }),
    route({
      ...common,
      method: "post",
      path: "/drone/:drone_id/params/pull",
      summary: "Ask the vehicle for all its parameters",
      params,
      success: { status: 200, schema: PullReply },
      handle: async ({ caller, params }) => {
        const pulled = await links.use(caller.id, params.drone_id, (link) => link.pullParams());
        const [param_received, param_total] = [pulled.params.length, pulled.total];
        return { success: param_received === param_total, param_received, param_total };
      },
    }),
  ];
}

async function allParams(link: VehicleCalls): Promise<readonly Param[]> {
  const { params, total } = await link.pullParams();
  if (params.length === total) return params;
  throw new DomainError("vehicle_timeout", `The vehicle sent ${params.length} of its ${total} parameters.`);
}

/** The connection's row of the contract has 200 and 400 only. */
const everyFailureIs400 = {
  not_found: 400,
  connection_failed: 400,
  vehicle_unreachable: 400,
  vehicle_timeout: 400,
  vehicle_refused: 400,
  not_supported: 400,
  unavailable: 400,
  internal: 400,
} as const;
