/** By it the gateway knows the plan of the reply again. */
export const etagOf = async (sent: Promise<{ response: Response }>): Promise<string> =>
  (await sent).response.headers.get("ETag") ?? "";
