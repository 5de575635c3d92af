import { z } from "zod";

/** Shared shapes of variables. A description is the variable's documentation; `secret` keeps it unprinted. */

/** A whole number, from and to these. */
export const integer = ([from, to]: readonly [number, number], defaultValue: number, description: string) =>
  z.coerce.number().int().min(from).max(to).default(defaultValue).describe(description);

export const port = (defaultPort: number, description: string) =>
  integer([0, 65_535], defaultPort, description);

export const positiveInt = (defaultValue: number, description: string) =>
  integer([1, Number.MAX_SAFE_INTEGER], defaultValue, description);

/** A limit; 0 turns it off. */
export const limit = (defaultValue: number, description: string) =>
  integer([0, Number.MAX_SAFE_INTEGER], defaultValue, description);

/** The most that a timer of Node.js takes, in milliseconds: one of more runs out at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** A variable `…_MS`. */
export const milliseconds = (defaultValue: number, description: string) =>
  integer([1, LONGEST_TIMER_MS], defaultValue, description);

/** A variable `…_SECONDS`. */
export const seconds = (defaultValue: number, description: string) =>
  integer([1, Math.floor(LONGEST_TIMER_MS / 1_000)], defaultValue, description);

/** `host:port` of a TCP server, an IPv6 address in brackets. */
export const hostAndPort = (defaultAddress: string, description: string) =>
  z
    .string()
    .regex(/^([\w.-]+|\[[\da-f:.]+\]):\d+$/i, "must be host:port")
    .refine((address) => URL.canParse(`tcp://${address}`), "must be host:port")
    .default(defaultAddress)
    .describe(description);

/** A text that may be absent. */
export const text = (description: string) => z.string().optional().describe(description);

/** A URL that may be absent. */
export const url = (description: string) => z.url().optional().describe(description);

/** One of these words. */
export const choice = <const Word extends string>(
  words: readonly Word[],
  defaultWord: NoInfer<Word>,
  description: string,
) =>
  z
    .enum(words)
    .default(defaultWord as never)
    .describe(description);

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

/** A name that S3 takes: 3 to 63 lower-case letters, digits, `-` and `.`; the store has the last word. */
export const bucket = (defaultName: string, description: string) =>
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .default(defaultName)
    .describe(description);

/** Of a refinement: named by variable, and reported beside other faults, so that all are reported at once. */
export const fault = (variable: string, message: string) => ({
  path: [variable],
  message,
  when: () => true,
});

/**
 * For `refine`: the variable must be set where each of these has this value, or any value where it is `true` here.
 * `why` is added to the message.
 */
export const requires = (variable: string, when: Readonly<Record<string, string | true>>, why = "") => {
  const conditions = Object.entries(when);
  const settings = conditions.map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return [
    (config: Readonly<Record<string, unknown>>) =>
      config[variable] !== undefined ||
      conditions.some(([name, value]) =>
        value === true ? config[name] === undefined : config[name] !== value,
      ),
    fault(variable, `is required with ${settings.join(" and ")}${why}`),
  ] as const;
};

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

/** Origins as browsers send them: `https://Fly.Example.com:443/` → `https://fly.example.com`; of other schemes as they are. */
export const origins = (description: string) =>
  list(description)
    .transform((given, context) =>
      given.map((text) => {
        if (!/^https?:/i.test(text)) return text;
        if (URL.canParse(text)) return new URL(text).origin;
        context.addIssue({ code: "custom", message: "has an origin that is no URL" });
        return z.NEVER;
      }),
    )
    .describe(description);

/** Prefix of a path that begins with `/`: a URL without query, fragment and final slash. */
export const baseUrl = (defaultUrl: string, description: string) =>
  z
    .url()
    .regex(/^[^?#]*$/, "must have no query and no fragment")
    .default(defaultUrl)
    .transform((url) => url.replace(/\/+$/, ""))
    .describe(description);
