import { z } from "zod";
import { type Comparison, isHeld } from "../../domain/compare-plans";
import { nanAsNull } from "../../domain/mission-item";

const Sequence = z.int().nullable().describe("Of the stored row. null: of the takeoff that an upload adds.");
const Value = z.number().nullable().describe("null: the vehicle chooses.");

/** How the plan on board differs from what an upload of a stored one would send. */
export const PlanComparison = z.object({
  same: z.boolean().describe("What an upload would send is on board, and nothing else."),
  differences: z
    .array(
      z.object({
        sequence: Sequence,
        field: z.string().describe("A key of the row: `lat`."),
        stored: Value,
        on_board: Value,
      }),
    )
    .describe("Rows that are on board with other values."),
  missing: z.array(Sequence).describe("Rows that are not on board."),
});

export const comparedPlan = (comparison: Comparison): z.input<typeof PlanComparison> => ({
  same: isHeld(comparison),
  differences: comparison.differences.map(({ sequence, field, sent, stored }) => ({
    ...{ sequence, field },
    ...{ stored: nanAsNull(sent), on_board: nanAsNull(stored) },
  })),
  missing: comparison.missing.map(({ sequence }) => sequence),
});
