import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { type Example, examples } from "../../http/openapi/examples";
import { routeName } from "../../http/openapi/operations";
import type { Route } from "../../http/route";
import { packageRoot } from "../../platform/process/version";
import { ApiClient, type Exchange } from "../client";

const FILE = join(packageRoot, "src/http/openapi/examples.ts");
/** Elements of an array that an example of a reply shows. */
const REPLY_ELEMENTS = 3;

/** The first success of each route among the exchanges of its contract cases, as an example. */
export class ContractExamples {
  private readonly found = new Map<string, Example>();

  constructor(private readonly routes: readonly Route[]) {}

  /** An exchange of a case of this route: `POST /mission`. */
  add(route: string, { method, path, request, status, reply }: Exchange): void {
    const declared = this.routes.find((one) => routeName(one) === route);
    if (!declared || this.found.has(route) || status !== declared.success.status) return;
    const [pathname = "", query] = path.split("?");
    if (method !== declared.method.toUpperCase() || !pattern(declared).test(pathname)) return;
    if (typeof request === "string" || typeof reply === "string") return;
    this.found.set(route, {
      ...(query ? { query } : {}),
      ...(request === undefined || declared.rawBody ? {} : { request: shown(request, 1) }),
      reply: shown(reply, REPLY_ELEMENTS),
    });
  }

  get byRoute(): Readonly<Record<string, Example>> {
    return Object.fromEntries([...this.found].sort(byName));
  }

  /** Writes them among the examples that the API's description shows. */
  write(): void {
    const all = Object.entries({ ...kept(), ...this.byRoute }).sort(byName);
    const json = JSON.stringify(Object.fromEntries(all), null, 2);
    writeFileSync(
      FILE,
      `/** A success of each route, made by \`npm run api:examples\` of the exchanges of the contract's cases. */
export interface Example {
  readonly query?: string;
  readonly request?: unknown;
  readonly reply: unknown;
}

export const examples: Readonly<Record<string, Example>> = ${json};
`,
    );
  }
}

const byName = ([a]: [string, Example], [b]: [string, Example]): number => (a < b ? -1 : 1);

/** Those in the file: another test file may have written it since this one was loaded. */
const kept = (): typeof examples => {
  const source = readFileSync(FILE, "utf8");
  return runInNewContext(`(${source.slice(source.indexOf("= {") + 2).replace(/;\s*$/, "")})`);
};

/**
 * The last test of a file that has the neighbour of these routes, a payment provider for example: their examples are what
 * the file has sent and got.
 */
export function testExamples(routes: () => readonly Route[], names: readonly string[]): void {
  let made: ContractExamples;
  beforeAll(() => {
    made = new ContractExamples(routes());
    ApiClient.onExchange = (exchange) => {
      for (const name of names) made.add(name, exchange);
    };
  });
  test("the examples of the API's description are what this file sends and gets", () => {
    ApiClient.onExchange = undefined;
    expect(Object.keys(made.byRoute)).toEqual([...names].sort());
    // `npm run api:examples`.
    if (process.env.WRITE_EXAMPLES) made.write();
    else for (const name of names) expect(shapeOf(made.byRoute[name])).toEqual(shapeOf(examples[name]));
  });
}

const pattern = ({ path }: Route): RegExp => new RegExp(`^${path.replaceAll(/:[^/]+/g, "[^/]+")}$`);

/** Short arrays, and in place of tokens, signatures and addresses of the test what a reader expects there. */
function shown(value: unknown, elements: number): unknown {
  if (Array.isArray(value)) return value.slice(0, elements).map((one) => shown(one, elements));
  if (typeof value === "string") return shownText(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one, elements)]));
}

function shownText(text: string): string {
  return text
    .replace(/^(v=0\r\n.*\r\n)[\s\S]*$/, "$1…")
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl")
    .replaceAll(/https?:\/\/(127\.0\.0\.1|localhost):\d+/g, "https://fleet.example.com")
    .replaceAll(/\b10\.(70|71)\.\d+\.\d+\b/g, "10.$1.12.34")
    .replace(/\?X-Amz-.*$/, "?X-Amz-Signature=5f3c")
    .replaceAll(/[\w.+-]+@example\.com/g, "pilot@example.com");
}

/** The keys and the types of a JSON value, by which two exchanges are the same but for ids and times. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, shapeOf(one)]),
  );
}
