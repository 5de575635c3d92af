import { z } from "zod";

/** The small copy that is wanted: its box in pixels, how the image fits into it, and its format. */
export const DecoderRequest = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  fit: z.enum(["inside", "cover"]),
  format: z.enum(["jpeg", "png"]),
});
export type DecoderRequest = z.infer<typeof DecoderRequest>;
