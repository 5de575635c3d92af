import type { Context } from "koa";
import { z } from "zod";
import type { ErrorCode } from "../domain/errors";

/**
 * A route is declared once. The declaration mounts it, types it, validates it and writes its part of
 * `/openapi.json` and `/apispec.json`. Exceptions from the usual are declared too, never hidden in a handler.
 */
interface RouteSpec<
  G extends GuardName = GuardName,
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below the base path, with `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The callers that may call; see `Callers`. */
  readonly guard: G;
  readonly envelope: Envelope;
  readonly params?: P;
  readonly query?: Q;
  /** With the guard `token`: the header that has it. Absent when it is in the path. */
  readonly tokenHeader?: "X-Activation-Token" | "Payment-Signature";
  readonly body?: B;
  /** In place of `body`: the handler gets the body's bytes, whatever its type. */
  readonly rawBody?: RawBody;
  /** It takes `If-Match`, with the ETag of what the caller read, and answers 412 when that was changed since. */
  readonly conditional?: true;
  /** Largest body; `MountOptions` has the default. */
  readonly bodyLimitBytes?: number;
  readonly success: Success;
  /** Answered however many requests the caller has under way. */
  readonly emergency?: true;
  /** Runs before the guard; throws to refuse the request. */
  readonly admit?: () => void;
  /** Status for a body or query that does not fit; 400 unless the contract says otherwise. */
  readonly invalidInput?: 400 | 500;
  /** Statuses that the contract gives instead of those of `http/errors.ts`. */
  readonly errors?: Partial<Record<ErrorCode, number>>;
  /** Error bodies that the contract gives instead of the envelope's. */
  readonly errorBodies?: Partial<Record<ErrorCode, (message: string, status: number) => unknown>>;
  /** Error statuses worth documenting; 401, 404 and 500 are added where they can occur. */
  readonly documents?: Readonly<Record<number, string>>;
  /** Headers of errors that this route may send, by status: what each holds. */
  readonly errorHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>;
  handle(input: Input<G, P, Q, B>): Promise<unknown> | unknown;
}

/**
 * A: `{success, data, message}` and `{success: false, error: {code, message}}`.
 * A+top: as A, with the keys of `data` at the top level as well.
 * B: the bare object, and `{error}`.
 * raw: the handler sets the body and its type; errors as in B.
 */
type Envelope = "A" | "A+top" | "B" | "raw";

/** How a body that the handler reads itself is described. */
interface RawBody {
  /** A JSON object where it is `application/json`, bytes otherwise. */
  readonly mediaType: string;
  readonly description: string;
}

interface Success {
  readonly status: 200 | 201;
  readonly schema?: z.ZodType;
  readonly description?: string;
  /** Of a raw reply, the types that it may have; JSON otherwise. */
  readonly mediaTypes?: readonly string[];
  /** Headers that the handler sets, each with its description. Their values are texts. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Envelope A's `message`. */
  readonly message?: string;
}

export interface Input<G extends GuardName, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  /** The bytes of the body where the route declares `rawBody`; empty elsewhere. */
  readonly rawBody: Buffer;
  readonly caller: Callers[G];
  /** The caller's network, by which limits count: see `networkOf`. Forwarded addresses count from trusted proxies only. */
  readonly network: string;
  /** For headers and streamed replies. */
  readonly ctx: Context;
}

/** What each guard returns. Every route names one, `public` too. */
export interface Callers {
  public: undefined;
  /** An access token of a user. */
  user: UserCaller;
  /** A refresh token. */
  refresh: UserCaller;
  /** An access token whose identity may be an email; only for setting a password. */
  reset: { readonly identity: string } & TokenTimes;
  /** A drone, by its address in the drone plane. */
  drone: DroneCaller;
  /** A drone, by the video room token of its row. */
  video_room: Pick<DroneCaller, "id">;
  /** A token in the path, a header or a signature, which the handler checks. */
  token: undefined;
}
export type GuardName = keyof Callers;

export interface UserCaller extends TokenTimes {
  readonly id: number;
}

/** Claims of the caller's token. Times in seconds since the epoch. */
export interface TokenTimes {
  readonly jti: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When the password that the token was issued on was set, in milliseconds; absent in old tokens. */
  readonly passwordAt: number | undefined;
}

export interface DroneCaller {
  readonly id: number;
  readonly user_id: number;
  readonly ip: string;
}

export type Route = RouteSpec;

/** Declare a route; see `RouteSpec`. */
export function route<
  G extends GuardName,
  P extends z.ZodType = z.ZodObject<Record<never, never>>,
  Q extends z.ZodType = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodUndefined,
>(spec: RouteSpec<G, P, Q, B>): Route {
  return spec as unknown as Route;
}

const largestId = 2_147_483_647;

/** An id in a path or a query: digits only, within Postgres' integer. */
export const Id = z
  .string()
  .regex(/^\d{1,10}$/, "must be a positive whole number")
  .transform(Number)
  .pipe(z.int().positive().max(largestId))
  .meta({ type: "integer", minimum: 1, maximum: largestId });

/** An id in a JSON body: a number, never a string. An order flies what it names. */
export const BodyId = z.int().positive().max(largestId);

/** A text of a body that Postgres can store. */
export const Text = z.string().refine((text) => !text.includes("\u0000"), "may not contain U+0000");

/** The query of a list: `limit` rows, which is `usual` when absent, beyond the first `offset`. */
export const pageQuery = (most: number, usual = most) =>
  z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .default(usual)
      .transform((limit) => Math.min(limit, most))
      .describe(`Rows. At most ${most}.`),
    offset: z.coerce.number().int().min(0).max(largestId).default(0).describe("Rows to skip."),
  });
export type Page = z.output<ReturnType<typeof pageQuery>>;

/** Path parameters that are all ids: `ids("drone_id")`. A value that is not one is a 404. */
export function ids<Name extends string>(...names: Name[]): z.ZodObject<Record<Name, typeof Id>> {
  const entries = names.map((name) => [name, Id.describe(`The ${ofWhat(name)}'s id.`)]);
  return z.object(Object.fromEntries(entries) as Record<Name, typeof Id>);
}

/** `mission_point_id` → `mission point`. The assets' routes call a drone a vehicle. */
const ofWhat = (name: string): string =>
  name === "vehicle_id" ? "drone" : name.replace(/_id$/, "").replaceAll("_", " ");

/** The token in the path of a link that was mailed. */
export const MailedToken = z.object({ token: z.string().describe("The token of the mailed link.") });

/** A reply of envelope B that is JSON already, such as Postgres makes it: sent as it is. */
export class SerializedJson {
  constructor(readonly json: string | Buffer) {}
}

/** A reply of envelope A with a `message` of its own, in place of the route's. */
export class ReplyWithMessage {
  constructor(
    readonly data: unknown,
    readonly message: string,
  ) {}
}

/** `{message}`: a reply of envelope B without data. */
export const Message = z.object({ message: z.string() });
