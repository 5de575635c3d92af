import type { z } from "zod";

/** The row of which a reply shows these columns: `…_at` is a date, which JSON writes as text. */
export type RowOf<Reply extends z.ZodType> = {
  readonly [Column in keyof z.output<Reply>]: Column extends `${string}_at`
    ? TimeOf<z.output<Reply>[Column]>
    : z.output<Reply>[Column];
};

type TimeOf<Text> = Text extends string ? Date : Text;
