/** How long a client waits for an answer. */
const TIMEOUT_MS = 20_000;

export interface Reply {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** not sent: the connection was refused. lost: the request may have been sent, and no response came. */
export type Answer = Reply | { readonly failure: "not sent" | "lost"; readonly why: string };

/** Sends one request with a time limit, and distinguishes requests that were not sent from lost responses. */
export async function ask(
  url: string,
  {
    method = "POST",
    body,
    headers = {},
  }: { method?: string; body?: unknown; headers?: Record<string, string> },
): Promise<Answer> {
  try {
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(url, {
      method,
      headers: isBytes || body === undefined ? headers : { "content-type": "application/json", ...headers },
      body: isBytes ? body : typeof body === "string" ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as RequestInit);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  } catch (error) {
    const { message, cause } = error as Error;
    const { code } = (cause ?? {}) as { code?: string };
    const why = `${message} ${code ?? ""} ${(cause as Error)?.message ?? ""}`;
    return { failure: code === "ECONNREFUSED" ? "not sent" : "lost", why };
  }
}

/** Whether it was answered with this status. */
export const isStatus = (answer: Answer, status: number): answer is Reply =>
  "status" in answer && answer.status === status;

/** The response in a few words. */
export const describeAnswer = (answer: Answer): string =>
  "status" in answer ? `${answer.status} ${answer.body.error ?? ""}` : `${answer.failure}: ${answer.why}`;
