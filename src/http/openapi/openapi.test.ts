import { createConfig, lintFromString } from "@redocly/openapi-core";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

type Json = Readonly<Record<string, object>>;

interface Described {
  readonly requestBody?: { readonly content: unknown };
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>;
}

let gateway: TestGateway;
let document: {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: { readonly schemas: object };
};
let operations: readonly Described[];
beforeAll(async () => {
  gateway = await startTestGateway({});
  document = (await gateway.api.get("/openapi.json")).body;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
});

test("redocly finds no fault in it, public and below the base path alike", async () => {
  const source = await (await fetch(`${gateway.url}/openapi.json`)).text();
  expect(JSON.parse(source)).toEqual(document);
  expect(document.openapi).toBe("3.1.0");
  // The contract has /mission/point/{id} beside /mission/{id}/points.
  const rules = { "no-ambiguous-paths": "off" } as const;
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const faults = await lintFromString({ source, config });
  expect(faults.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test("it has each declared route, and the statuses that /apispec.json has", async () => {
  const swagger = (await gateway.api.get("/apispec.json")).body;
  const statuses = (paths: Record<string, Record<string, Described>>) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => `${method} ${path} ${Object.keys(responses)}`),
    );
  expect(operations).toHaveLength(gateway.features.routes.length);
  expect(statuses(document.paths)).toEqual(statuses(swagger.paths));
});

test("each parameter says what it is, and each error has a body", () => {
  const unexplained = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  );
  expect(unexplained).toEqual([]);
  const bare = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status, { content }]) => Number(status) >= 400 && !content)
      .map(([status]) => `${operationId} ${status}`),
  );
  expect(bare).toEqual([]);
});

test("each reply in JSON has an example, and each body that is sent", () => {
  const without = gateway.features.routes.flatMap(({ method, path, envelope, success, body }) => {
    const operation = document.paths[path.replaceAll(/:([^/]+)/g, "{$1}")]?.[method];
    const shows = (content: unknown) => "example" in ((content as Json)["application/json"] ?? {});
    const reply = envelope === "raw" || shows(operation?.responses[success.status]?.content);
    const request = !body || shows(operation?.requestBody?.content);
    return reply && request ? [] : [`${method} ${path}`];
  });
  expect(without).toEqual([]);
});

test("errors are two shared schemas, but where the contract has a body of its own", () => {
  const written = JSON.stringify(document);
  const inline = written.match(/"properties":\{"error":\{"type":"string"/g);
  expect(inline).toHaveLength(1);
  const login = document.paths["/login"]?.post?.responses[401];
  expect(login).toMatchObject({
    content: {
      "application/json": {
        schema: {
          type: "array",
          prefixItems: [{ $ref: "#/components/schemas/Error" }, { type: "integer" }],
        },
      },
    },
  });
});

test("GET /missions says that a failure may have its status of success", () => {
  expect(document.paths["/missions"]?.get?.responses[200]).toMatchObject({
    content: {
      "application/json": {
        schema: { anyOf: [{ type: "array" }, { $ref: "#/components/schemas/Error" }] },
      },
    },
  });
});

test.each([
  ["/drone/activate", "get", "X-Activation-Token"],
  ["/drone/pull", "get", "X-Drone-IP"],
  ["/billing/webhook", "post", "Payment-Signature"],
  ["/missions", "get", "bearer"],
])("%s names the token that it needs", (path, method, scheme) => {
  expect(document.paths[path]?.[method]?.security).toEqual([{ [scheme]: [] }]);
});

test("a file that is sent or returned has its media types and headers in both descriptions", async () => {
  const swagger = (await gateway.api.get("/apispec.json")).body.paths;
  const upload = "/missions/import";
  const download = "/mission/{mission_id}/export";
  expect(document.paths[upload]?.post?.requestBody).toEqual({
    required: true,
    description: expect.any(String),
    content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
  });
  expect(swagger[upload].post).toMatchObject({
    consumes: ["application/octet-stream"],
    parameters: expect.arrayContaining([
      expect.objectContaining({ in: "body", schema: { type: "string", format: "binary" } }),
    ]),
  });
  const types = [
    "application/json",
    "text/plain",
    "application/vnd.google-earth.kml+xml",
    "application/geo+json",
  ];
  const reply = document.paths[download]?.get?.responses[200] as Json;
  expect(Object.keys(reply.content as object)).toEqual(types);
  expect(reply.headers).toMatchObject({ "X-Left-Out": { schema: { type: "string" } } });
  const described = swagger[download].get;
  expect(described.produces).toEqual(types);
  expect(described.responses[200].headers).toMatchObject({ "X-Left-Out": { type: "string" } });
});
