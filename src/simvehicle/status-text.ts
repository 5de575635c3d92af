import { build } from "../vehicle/mavlink/wire/codec";
import { common } from "../vehicle/mavlink/wire/messages";
import type { Severity } from "./reports";

const LONGEST = 50;

/** A long text goes out in pieces of 50 characters that share an id; a short one has id 0. */
export function statusTexts(severity: Severity, text: string, id: number): common.StatusText[] {
  const pieces = Math.max(1, Math.ceil(text.length / LONGEST));
  return Array.from({ length: pieces }, (_, chunkSeq) =>
    build(common.StatusText, {
      severity,
      text: text.slice(chunkSeq * LONGEST, (chunkSeq + 1) * LONGEST),
      id: pieces > 1 ? id : 0,
      chunkSeq,
    }),
  );
}
