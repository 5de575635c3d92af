import { StickFrame } from "../domain/pilot-frames";

/** The frame, or the error message. */
export function readStickFrame(text: string): StickFrame | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  const parsed = StickFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return issue ? `${issue.path.join(".") || "frame"}: ${issue.message}` : "not a stick frame";
}
