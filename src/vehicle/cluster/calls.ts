import { z } from "zod";
import { DomainError } from "../../domain/errors";
import type { VehicleIdentity, VehicleLink } from "../link";

const Value = z.number();
const Item = z.object({
  command: Value,
  frame: Value,
  is_current: z.boolean(),
  autocontinue: z.boolean(),
  param1: Value,
  param2: Value,
  param3: Value,
  param4: Value,
  x_lat: Value,
  y_long: Value,
  z_alt: Value,
});
const Plan = z.array(Item);

/** The calls of a link that another replica may make through its holder, with their arguments. */
const argumentsOf = {
  arm: z.tuple([]),
  disarm: z.tuple([]),
  takeoff: z.tuple([Value]),
  land: z.tuple([]),
  setMode: z.tuple([z.union([z.string(), Value])]),
  motorTest: z.tuple([Value, Value]),
  move: z.tuple([z.object({ x: Value, y: Value, z: Value })]),
  goTo: z.tuple([z.object({ lat: Value, lng: Value, altitude: Value })]),
  uploadMission: z.tuple([Plan, z.object({ force: z.boolean().optional() })]),
  readMission: z.tuple([]),
  uploadFence: z.tuple([Plan]),
  readParams: z.tuple([z.array(z.string())]),
  writeParam: z.tuple([z.string(), Value]),
  pullParams: z.tuple([]),
} as const;

export type Method = keyof typeof argumentsOf;

const METHODS = Object.keys(argumentsOf) as [Method, ...Method[]];

/** A call as it travels between replicas. */
export const Call = z.object({ method: z.enum(METHODS), args: z.array(z.unknown()) });
export type Call = z.output<typeof Call>;

/** Makes the call on the link that this process holds. Rejects as the link does, or for arguments that do not fit. */
export async function makeCall(link: VehicleLink, { method, args }: Call): Promise<unknown> {
  const checked = argumentsOf[method].safeParse(args);
  if (!checked.success) throw new DomainError("invalid_input", `The arguments of ${method} do not fit.`);
  const run = link[method] as (...args: readonly unknown[]) => Promise<unknown>;
  return run.apply(link, checked.data);
}

/**
 * A link that another replica holds: each of its calls is carried there. It has no telemetry of its own, which
 * reaches watchers by another way, and it ends with the use that was made of it.
 */
export function remoteLink(vehicle: VehicleIdentity, carry: (call: Call) => Promise<unknown>): VehicleLink {
  const call = <T>(method: Method, ...args: unknown[]) => carry({ method, args }) as Promise<T>;
  const notHere = (): never => {
    throw new DomainError("not_supported", "Another server holds the link to this drone.");
  };
  return {
    vehicle,
    state: "ready",
    arm: () => call("arm"),
    disarm: () => call("disarm"),
    takeoff: (altitude) => call("takeoff", altitude),
    land: () => call("land"),
    setMode: (mode) => call("setMode", mode),
    motorTest: (motorId, percentage) => call("motorTest", motorId, percentage),
    move: (to) => call("move", to),
    goTo: (to) => call("goTo", to),
    uploadMission: (plan, options = {}) => call("uploadMission", plan, options),
    readMission: () => call("readMission"),
    uploadFence: (fence) => call("uploadFence", fence),
    readParams: (names) => call("readParams", names),
    writeParam: (name, value) => call("writeParam", name, value),
    pullParams: () => call("pullParams"),
    onTelemetry: notHere,
    onClose: notHere,
    close: () => {},
  };
}
