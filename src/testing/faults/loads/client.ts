/** How long a client waits for an answer. */
const PATIENCE_MS = 20_000;

/** not sent: nobody was reached. lost: it was sent, and no answer came. */
export type Answer =
  | { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }
  | "not sent"
  | "lost";

/** One request of a client that gives up after a while, and knows what it cannot know. */
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
      signal: AbortSignal.timeout(PATIENCE_MS),
    } as RequestInit);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return code === "ECONNREFUSED" ? "not sent" : "lost";
  }
}

/** Whether it was answered with this status. */
export const isStatus = (answer: Answer, status: number): answer is Exclude<Answer, string> =>
  typeof answer === "object" && answer.status === status;
