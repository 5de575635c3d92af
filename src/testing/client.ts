/** The parsed reply; untyped, because tests read it freely. */
type Body = ReturnType<typeof JSON.parse>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A request that was answered. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly request: unknown;
  readonly status: number;
  readonly reply: Body;
  readonly response: Response;
}

/** A plain client of the API: JSON in, JSON out, one token. */
export class ApiClient {
  /** Called with each exchange of every client of this process. */
  static onExchange: ((exchange: Exchange) => void) | undefined;

  constructor(
    /** `{url}/api/v1` */
    readonly base: string,
    private readonly token?: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  with(headers: Record<string, string>): ApiClient {
    return new ApiClient(this.base, this.token, { ...this.headers, ...headers });
  }

  as(token: string | undefined): ApiClient {
    return new ApiClient(this.base, token, this.headers);
  }

  get = (path: string) => this.send("GET", path);
  delete = (path: string, body?: unknown) => this.send("DELETE", path, body);
  post = (path: string, body?: unknown) => this.send("POST", path, body);
  put = (path: string, body?: unknown) => this.send("PUT", path, body);
  patch = (path: string, body?: unknown) => this.send("PATCH", path, body);

  async send(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...this.headers,
      },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const { status, headers } = response;
    const reply: Body = isJson ? JSON.parse(text) : text;
    ApiClient.onExchange?.({ method, path, request: body, status, reply, response });
    return { status, headers, body: reply };
  }
}
