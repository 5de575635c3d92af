import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorOf } from "../client/api-error";
import { examples } from "../http/openapi/examples";
import { ApiClient, type Exchange } from "../testing/client";
import type { ContractCase, ContractWorld } from "../testing/contract";
import { ContractExamples, shapeOf } from "../testing/contract/examples";
import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";

/**
 * Tags whose routes are mounted before their cases are written. An entry that is no longer needed fails the
 * test below, so the list can only shrink to nothing.
 */
const tagsWithoutCases: readonly string[] = [];

const features = join(__dirname, "../features");

/** Every `*.contract.ts` of a feature, found by name so that no case can be forgotten. */
const caseFiles = readdirSync(features, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".contract.ts"))
  .sort();

const casesOf = (file: string): ContractCase[] =>
  Object.values(require(join(features, file)) as Record<string, readonly ContractCase[]>).flat();

const cases = caseFiles.flatMap(casesOf);

let gateway: TestGateway;
let made: ContractExamples;
/** Replies that a client's author cannot tell a success from a failure by, or that do not say why. */
const faults: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  made = new ContractExamples(gateway.features.routes);
});

const declared = () =>
  gateway.features.routes.map(({ method, path, tag }) => ({ tag, name: `${method.toUpperCase()} ${path}` }));

describe.each([...new Set(cases.map(({ route }) => route))])("%s", (route) => {
  const ofRoute = cases.filter((one) => one.route === route);
  test.each(ofRoute.map(({ title, run }) => [title, run] as const))("%s", async (_title, run) => {
    const [user, otherUser] = await Promise.all([gateway.newUser(), gateway.newUser()]);
    const world: ContractWorld = { gateway, anonymous: gateway.api, user, otherUser };
    ApiClient.onExchange = (exchange) => {
      made.add(route, exchange);
      faults.push(...faultsOfClient(exchange));
    };
    await run(world).finally(() => {
      ApiClient.onExchange = undefined;
    });
  });
});

/** As `src/client` reads each reply of the cases. */
function faultsOfClient({ method, path, status, reply, response }: Exchange): string[] {
  const error = errorOf(response, reply);
  const is = `${method} ${path} ${status}: ${JSON.stringify(reply)}`;
  // The one failure with the status of a success.
  const failed = status >= 400 || (path === "/missions" && "error" in reply);
  if (!failed) return error ? [`${is} is an error of the client`] : [];
  if (error?.status !== status || error.code !== status) return [`${is} has another status for the client`];
  return error.message.length > 0 && error.message !== response.statusText ? [] : [`${is} says nothing`];
}

test("the client reads every reply of the cases", () => expect(faults).toEqual([]));

test("every contract file brings cases, and every case tries a route that is declared", () => {
  expect(caseFiles.filter((file) => casesOf(file).length === 0)).toEqual([]);
  const names = new Set(declared().map(({ name }) => name));
  expect(cases.map(({ route }) => route).filter((route) => !names.has(route))).toEqual([]);
});

test("every declared route has a case", () => {
  const tried = new Set(cases.map(({ route }) => route));
  const untried = declared().filter(({ name }) => !tried.has(name));
  expect(untried.filter(({ tag }) => !tagsWithoutCases.includes(tag)).map(({ name }) => name)).toEqual([]);
  const waiting = new Set(untried.map(({ tag }) => tag));
  expect(tagsWithoutCases.filter((tag) => !waiting.has(tag))).toEqual([]);
});

test("the examples of the API's description are what the cases send and get, but for ids and times", () => {
  // `npm run api:examples`.
  if (process.env.WRITE_EXAMPLES) made.write();
  else
    for (const [name, example] of Object.entries(made.byRoute))
      expect([name, shapeOf(example)]).toEqual([name, shapeOf(examples[name])]);
});

test("every route behind a user's token refuses a request without one", async () => {
  const guarded = gateway.features.routes.filter(({ guard }) => guard === "user");
  const answers = await Promise.all(
    guarded.map(async ({ method, path }) => {
      const { status } = await gateway.api.send(method.toUpperCase(), path.replaceAll(/:[^/]+/g, "1"));
      return `${method.toUpperCase()} ${path} ${status}`;
    }),
  );
  expect(answers.filter((answer) => !answer.endsWith(" 401"))).toEqual([]);
  expect(answers.length).toBeGreaterThan(0);
});
