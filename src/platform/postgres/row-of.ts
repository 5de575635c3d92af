import type { z } from "zod";

/** The row of which a reply shows these columns: `…_at`, `…_time` and `…_end` are dates, which JSON writes as text. */
export type RowOf<Reply extends z.ZodType> = {
  readonly [Column in keyof z.output<Reply>]: Column extends `${string}_${"at" | "time" | "end"}`
    ? TimeOf<z.output<Reply>[Column]>
    : z.output<Reply>[Column];
};

type TimeOf<Text> = Text extends string ? Date : Text;
