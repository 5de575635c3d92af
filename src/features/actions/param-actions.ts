import { z } from "zod";
import { DomainError, isDomainError } from "../../domain/errors";
import type { Param, VehicleCalls } from "../../vehicle";
import { type Action, action } from "./action";
import { ParamName, ParamValue, ParamValues, ReadBackParam } from "./actions.schema";

/** Write parameters; each is read back. */
export const paramActions: readonly Action[] = [
  action({
    path: "set_param",
    summary: "Set one parameter",
    body: z.object({ param_id: ParamName, value: ParamValue }),
    result: ReadBackParam,
    async run(order, { param_id, value }) {
      const result = await order.onLink((link) => link.writeParam(param_id, value));
      return { message: `${result.param_id} is ${result.value}.`, result };
    },
  }),
  action({
    path: "set_params",
    summary: "Set several parameters",
    description:
      "In the order given, each written and read back. The first failure ends it, and the error names what was written, what failed and what was not tried.",
    body: z.object({ params: ParamValues }),
    result: z.object({ written: z.array(ReadBackParam) }),
    async run(order, { params }) {
      const written = await order.onLink((link) => writeInOrder(link, Object.entries(params)));
      return { message: `${written.length} parameters are set and read back.`, result: { written } };
    },
  }),
];

/** Parameters build on each other (a fence's shape before its switch): after a failure nothing more is written. */
async function writeInOrder(link: VehicleCalls, params: [name: string, value: number][]): Promise<Param[]> {
  const written: Param[] = [];
  for (const [index, [name, value]] of params.entries()) {
    try {
      written.push(await link.writeParam(name, value));
    } catch (error) {
      if (!isDomainError(error)) throw error;
      const untried = params.slice(index + 1).map(([untriedName]) => untriedName);
      throw new DomainError(
        error.code,
        [
          error.code === "outcome_unknown" ? error.message : `${name} was not set: ${error.message}`,
          `Written: ${listed(written.map(({ param_id }) => param_id))}.`,
          `Not tried: ${listed(untried)}.`,
        ].join(" "),
        { cause: error },
      );
    }
  }
  return written;
}

const listed = (names: readonly string[]): string => names.join(", ") || "none";
