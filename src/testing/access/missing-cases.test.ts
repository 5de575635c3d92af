import { missingCases } from "./missing-cases";

test("missingCases() names a new route, id or key that the test of all routes does not know", () => {
  const added = (name: string, guard: string, parameters: string[], type = "integer") => {
    const [method = "", path = ""] = name.split(" ");
    const schema = { type };
    const operation = {
      ...{ name, method, path, body: undefined },
      parameters: parameters.map((id) => ({ name: id, in: "path", required: true, schema })),
    };
    return { operation, route: { guard } } as unknown as Parameters<typeof missingCases>[0][number];
  };
  const routes = [
    added("GET /drone/:drone_id/secrets", "user", ["drone_id"]),
    added("GET /spaceship/:spaceship_id", "user", ["spaceship_id"]),
    added("POST /spaceship/:spaceship_id/log", "drone", ["spaceship_id"]),
    added("POST /spaceship/:token", "token", []),
    added("GET /spaceships", "charm", []),
    added("GET /weather", "public", []),
    added("GET /drone/at/:ip", "user", ["ip"], "string"),
    added("GET /weather/:username", "public", ["username"], "string"),
    added("GET /weather/of/:call_sign", "public", ["call_sign"], "string"),
  ];
  expect(missingCases(routes, ["GET /drone/activate"])).toEqual([
    "GET /spaceship/:spaceship_id: enter the id spaceship_id in src/testing/access/id-requests.ts",
    "POST /spaceship/:spaceship_id/log: enter the id spaceship_id in src/testing/access/id-requests.ts",
    "POST /spaceship/:token: add a token case",
    "GET /spaceships: unknown guard charm",
    "GET /drone/at/:ip: enter the key ip in src/testing/access/id-requests.ts",
    "GET /weather/of/:call_sign: enter the key call_sign in src/testing/access/id-requests.ts",
  ]);
});
