import { z } from "zod";

type Json = Record<string, unknown>;

/** One kind of message in one direction. */
export interface SocketMessage {
  /** Names it in the description; unique in its channel. */
  readonly id: string;
  /** The event's or frame's own name. */
  readonly name: string;
  readonly summary: string;
  /** Absent for a message that is its name alone. */
  readonly payload?: z.ZodType;
  /** JSON when absent. */
  readonly contentType?: "text/plain" | "application/octet-stream";
  readonly examples?: readonly {
    readonly name: string;
    readonly summary: string;
    readonly payload: unknown;
  }[];
  /** The `id`s of the messages that answer it. */
  readonly replies?: readonly string[];
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>>;
}

/** A WebSocket or Socket.IO endpoint as it is declared. */
export interface SocketChannel {
  /** Names it in the description. */
  readonly name: string;
  /** The path, with `{name}` for parameters. */
  readonly address: string;
  readonly server: keyof typeof servers;
  readonly title: string;
  readonly description: string;
  /** What each parameter of the path is. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The query of the handshake. */
  readonly query: z.ZodObject;
  readonly fromClient: readonly SocketMessage[];
  readonly toClient: readonly SocketMessage[];
  /** The statuses with which a handshake is refused. */
  readonly refusals: readonly { readonly status: number; readonly description: string }[];
  readonly closeCodes?: readonly {
    readonly code: number;
    readonly name: string;
    readonly meaning: string;
    readonly client: string;
  }[];
}

/** The sockets' description in AsyncAPI 3.0, made of the declarations that the code uses. */
export function asyncApiDocument(channels: readonly SocketChannel[], version: string): Json {
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Fleet Gateway",
      version,
      description: introduction,
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers,
    channels: Object.fromEntries(channels.map((channel) => [channel.name, describeChannel(channel)])),
    operations: Object.fromEntries(channels.flatMap(operationsOf)),
    components: { securitySchemes },
  };
}

const introduction =
  "Live telemetry of drones, and the sockets of their pilots. The document is written from the server's side: it `receive`s what clients send. `x-refusals` of a channel lists the statuses with which its handshake is refused, `x-close-codes` what its close codes mean. `/openapi.json` describes the rest of the API.";

const host = (port: number): Json => ({
  host: {
    default: `localhost:${port}`,
    description: "Of the deployment. Behind an Ingress both servers have the same host.",
  },
});

const servers = {
  gateway: {
    host: "{host}",
    protocol: "wss",
    description: "The gateway. On a laptop it serves `ws`, without TLS.",
    variables: host(8080),
    security: [{ $ref: "#/components/securitySchemes/token" }],
  },
  relay: {
    host: "{host}",
    protocol: "wss",
    description: "The relay. On a laptop it serves `ws`, without TLS.",
    variables: host(7070),
    security: [{ $ref: "#/components/securitySchemes/access_token" }],
  },
} as const;

const securitySchemes = {
  token: {
    type: "httpApiKey",
    in: "query",
    name: "token",
    description: "An access token of `POST /login`, for Socket.IO.",
  },
  access_token: {
    type: "httpApiKey",
    in: "query",
    name: "access_token",
    description:
      "An access token of `POST /login`, of the drone's owner. The profile `contract` reads no token.",
  },
};

function describeChannel(channel: SocketChannel): Json {
  const { address, server, title, description, parameters = {}, query, refusals, closeCodes } = channel;
  return {
    address,
    title,
    description,
    servers: [{ $ref: `#/servers/${server}` }],
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, meaning]) => [name, { description: meaning }]),
    ),
    messages: Object.fromEntries([
      ...channel.fromClient.map((message) => [message.id, describeMessage(message, "input")]),
      ...channel.toClient.map((message) => [message.id, describeMessage(message, "output")]),
    ]),
    bindings: { ws: { method: "GET", query: schemaOf(query, "input"), bindingVersion: "0.1.0" } },
    "x-refusals": refusals,
    ...(closeCodes ? { "x-close-codes": closeCodes } : {}),
  };
}

function describeMessage(message: SocketMessage, io: "input" | "output"): Json {
  const { name, summary, payload, contentType = "application/json", examples, extensions } = message;
  return {
    name,
    summary,
    contentType,
    ...(payload ? { payload: schemaOf(payload, io) } : {}),
    ...(examples ? { examples } : {}),
    ...extensions,
  };
}

function operationsOf({ name, fromClient, toClient }: SocketChannel): [string, Json][] {
  const channel = { $ref: `#/channels/${name}` };
  const messages = (ids: readonly string[]) =>
    ids.map((id) => ({ $ref: `#/channels/${name}/messages/${id}` }));
  return [
    ...fromClient.map(({ id, summary, replies }): [string, Json] => [
      `${name}_${id}`,
      {
        action: "receive",
        channel,
        summary,
        messages: messages([id]),
        ...(replies ? { reply: { channel, messages: messages(replies) } } : {}),
      },
    ]),
    ...toClient.map(({ id, summary }): [string, Json] => [
      `${name}_${id}`,
      { action: "send", channel, summary, messages: messages([id]) },
    ]),
  ];
}

/** A zod schema as AsyncAPI has it, in JSON Schema draft 7. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { target: "draft-7", io }) as Json;
  return described;
}
