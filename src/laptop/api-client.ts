export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The gateway's HTTP API as a client program uses it. Statuses from 400 on are thrown with the reply's message. */
export class ApiClient {
  private token: string | undefined;

  /** `headers` go with every request. */
  constructor(
    readonly origin: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** Another client of the same gateway, which sends these headers and not our token. */
  as(headers: Readonly<Record<string, string>>): ApiClient {
    return new ApiClient(this.origin, headers);
  }

  /** The access token that every further request carries. */
  async login(credentials: Credentials): Promise<string> {
    const pair = await this.post<{ access_token: string }>("/login", credentials);
    this.token = pair.access_token;
    return pair.access_token;
  }

  /** false when the user is unknown or has another password. */
  async canLogin(credentials: Credentials): Promise<boolean> {
    const response = await this.send("POST", "/login", credentials);
    if (response.ok || response.status === 401) return response.ok;
    throw await failure("POST", "/login", response);
  }

  get<Reply>(path: string): Promise<Reply> {
    return this.request<Reply>("GET", path);
  }

  post<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.request<Reply>("POST", path, body);
  }

  put<Reply>(path: string, body: unknown): Promise<Reply> {
    return this.request<Reply>("PUT", path, body);
  }

  delete<Reply>(path: string): Promise<Reply> {
    return this.request<Reply>("DELETE", path);
  }

  private async request<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
    const response = await this.send(method, path, body);
    if (!response.ok) throw await failure(method, path, response);
    return (await response.json()) as Reply;
  }

  private send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.origin}/api/v1${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Longer than a mission upload over a bad link.
      signal: AbortSignal.timeout(60_000),
    });
  }
}

async function failure(method: string, path: string, response: Response): Promise<Error> {
  const text = await response.text();
  return new Error(`${method} ${path} answered ${response.status}: ${words(text)}`);
}

/** The message of either envelope, also when a failed login wraps it in an array; else the reply itself. */
function words(text: string): string {
  try {
    const reply: Reply | [Reply] = JSON.parse(text);
    const { error, message } = Array.isArray(reply) ? reply[0] : reply;
    return (typeof error === "object" ? error.message : error) ?? message ?? text;
  } catch {
    return text;
  }
}

interface Reply {
  readonly error?: string | { readonly message?: string };
  readonly message?: string;
}
