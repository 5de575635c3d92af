import { z } from "zod";

/** Shared shapes of variables. A description is the variable's documentation; `secret` keeps it unprinted. */

export const port = (defaultPort: number, description: string) =>
  z.coerce.number().int().min(0).max(65535).default(defaultPort).describe(description);

export const positiveInt = (defaultValue: number, description: string) =>
  z.coerce.number().int().positive().default(defaultValue).describe(description);

export const flag = (defaultValue: boolean, description: string) =>
  z
    .enum(["true", "false"])
    .default(defaultValue ? "true" : "false")
    .transform((value) => value === "true")
    .describe(description);

export const secret = (description: string, minLength = 1) =>
  z.string().min(minLength).describe(description).meta({ description, secret: true });

/** A URL that may carry a password, so it is treated as a secret. */
export const secretUrl = (description: string) => z.url().meta({ description, secret: true });

/** `a, b,c` → `["a", "b", "c"]`. */
export const list = (description: string) =>
  z
    .string()
    .default("")
    .transform((value) =>
      value
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean),
    )
    .describe(description);
