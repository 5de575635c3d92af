import type { ApiClient } from "../client";
import type { TestedVehicle } from "./tested-vehicle";

/** Statistics, counters and the pressure at the ground, which the vehicle changes between two readings. */
const COUNTS = /^STAT_|^SYS_|^COM_FLIGHT|^LND_FLIGHT|^MIS_TOTAL|^BARO\d_GND_PRESS/;

type ParamsReply = Awaited<ReturnType<ApiClient["get"]>>;

/** All parameters and their values in the reply are those that the witness reads. Returns how many. */
export async function expectAllParams(
  { witness }: TestedVehicle,
  { status, body }: ParamsReply,
): Promise<number> {
  expect(status).toBe(200);
  const read: { readonly param_id: string; readonly value: number | null }[] = body.params;
  const { values } = await witness.params();
  // PX4 keeps a checksum among them, which is no parameter.
  const names = Object.keys(values).filter((each) => each !== "_HASH_CHECK");
  expect(read.map(({ param_id }) => param_id).toSorted()).toEqual(names.toSorted());
  const differing = read.filter(({ param_id, value }) => {
    if (COUNTS.test(param_id)) return false;
    const there = values[param_id];
    return typeof there === "number"
      ? Math.fround(there) !== Math.fround(value ?? Number.NaN)
      : value !== null;
  });
  expect(differing).toEqual([]);
  return names.length;
}
