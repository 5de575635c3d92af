import createClient, { type Client } from "openapi-fetch";
import { errorOf } from "./api-error";
import type { components, paths } from "./api-types";

export type Tokens = components["schemas"]["TokenPair"];

export interface ClientOptions {
  /** Sent with each request; a drone's own program sends `X-Drone-IP`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with each new pair, for a program that keeps it, and with undefined when the session has ended. */
  readonly onTokens?: (tokens: Tokens | undefined) => void;
}

/**
 * The gateway's API in a browser or in Node. `api` has a method for each of HTTP's, typed by the API's description:
 *
 *     const client = new FleetClient("https://fleet.example.com");
 *     await client.logIn("pilot@example.com", "…");
 *     const missions = await reply(client.api.GET("/missions"));
 *
 * Requests with an expired access token are sent again with a new one. Requests that fail together are refreshed once.
 */
export class FleetClient {
  readonly api: Client<paths, "application/json">;
  private tokens: Tokens | undefined;
  private refreshing: Promise<void> | undefined;

  constructor(
    /** Scheme, host and port. */
    readonly origin: string,
    private readonly options: ClientOptions = {},
  ) {
    this.api = createClient<paths, "application/json">({
      baseUrl: `${origin}/api/v1`,
      headers: options.headers ?? {},
      fetch: (request) => this.send(request),
    });
  }

  /** Later requests carry the access token. */
  async logIn(username: string, password: string): Promise<Tokens> {
    const tokens = await reply(this.api.POST("/login", { body: { username, password } }));
    this.useTokens(tokens);
    return tokens;
  }

  /**
   * Goes on with a session of which only the refresh token was kept. Returns false when the gateway refuses it: the
   * session has ended.
   */
  async resume(refresh_token: string): Promise<boolean> {
    this.tokens = { access_token: "", refresh_token };
    await this.refreshOnce(this.tokens);
    return this.tokens !== undefined;
  }

  /**
   * Forgets the pair at once, then revokes the access token. The refresh token stays valid for whoever else has it. Rejects
   * as `fetch` when the gateway cannot be reached.
   */
  async logOut(): Promise<void> {
    const { tokens } = this;
    if (!tokens) return;
    this.useTokens(undefined);
    const headers = { Authorization: `Bearer ${tokens.access_token}` };
    // Sent also when the page is being left. A token that has expired is refused, and needs no revocation.
    await this.api.DELETE("/logout", { headers, keepalive: true });
  }

  /** Of the requests that are sent now; a socket's handshake carries it. Undefined when nobody is logged in. */
  get accessToken(): string | undefined {
    return this.tokens?.access_token;
  }

  /** For a socket whose token was refused. Ends the session when the gateway refuses the refresh token, too. */
  async refreshTokens(): Promise<void> {
    if (this.tokens) await this.refreshOnce(this.tokens);
  }

  /** The pair that an earlier session got. */
  useTokens(tokens: Tokens | undefined): void {
    this.tokens = tokens;
    this.options.onTokens?.(tokens);
  }

  private async send(request: Request): Promise<Response> {
    const { tokens } = this;
    if (!tokens || request.headers.has("Authorization")) return fetch(request);
    const again = request.clone();
    const response = await fetch(authorized(request, tokens.access_token));
    if (response.status !== 401) return response;
    // Another request may have refreshed them meanwhile.
    if (this.tokens === tokens) await this.refreshOnce(tokens);
    if (!this.tokens) return response;
    await response.body?.cancel();
    return fetch(authorized(again, this.tokens.access_token));
  }

  private refreshOnce(tokens: Tokens): Promise<void> {
    this.refreshing ??= this.refresh(tokens).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** A refused refresh token ends the session: the requests that wait get their 401. */
  private async refresh(tokens: Tokens): Promise<void> {
    const headers = { Authorization: `Bearer ${tokens.refresh_token}` };
    const { data, error, response } = await this.api.GET("/auth/refresh", { headers });
    // Logged out, or logged in anew, meanwhile.
    if (this.tokens !== tokens) return;
    if (data) this.useTokens(data);
    else if (response.status === 401) this.useTokens(undefined);
    else throw errorOf(response, error);
  }
}

function authorized(request: Request, token: string): Request {
  request.headers.set("Authorization", `Bearer ${token}`);
  return request;
}

/** The body of a success; rejects with an `ApiError` otherwise. */
export async function reply<Data>(
  sent: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<Exclude<Data, undefined | components["schemas"]["Error"]>> {
  const { data, error, response } = await sent;
  const failure = errorOf(response, data ?? error);
  if (failure) throw failure;
  return data as Exclude<Data, undefined | components["schemas"]["Error"]>;
}
