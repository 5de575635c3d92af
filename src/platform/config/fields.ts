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

/** A name that S3 takes: 3 to 63 lower-case letters, digits, `-` and `.`, and no address. */
export const bucket = (defaultName: string, description: string) =>
  z
    .string()
    .min(3)
    .max(63)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)
    .refine((name) => !z.ipv4().safeParse(name).success, "must be a name, and no address")
    .default(defaultName)
    .describe(description);

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
