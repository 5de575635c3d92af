import type { Registry } from "../platform/process/metrics";
import { HeldBytes } from "./held-bytes";
import type { Hold } from "./raw-body";

/** Held at a time of one caller, and of all, in bodies of the largest size. */
const [OF_CALLER, OF_ALL] = [8, 64];
/** No body is refused before it is longer, so that orders always pass; the connections bound these. */
const SHORT_BODY_BYTES = 16_384;

/**
 * What a process holds of request bodies, from their first byte until their request is answered. A body is read before its
 * request waits for anything, because whoever sends it slowly must keep nobody waiting; as bytes, because what it says
 * may take ten times as much.
 */
export class Bodies {
  private readonly held: HeldBytes;

  constructor(bodyLimitBytes: number, registry: Registry) {
    this.held = new HeldBytes(
      {
        ofCaller: OF_CALLER * bodyLimitBytes,
        ofAll: OF_ALL * bodyLimitBytes,
        gauge: {
          name: "fleet_http_body_bytes",
          help: "Bytes of request bodies beyond their first 16 KiB that are being read, wait or are worked on.",
        },
        refused: {
          name: "fleet_http_bodies_refused_total",
          help: "Requests refused because their caller, or all callers, had too much under way in bodies.",
          reasons: ["caller", "process"],
        },
        words: {
          caller: "You are sending too much at once",
          process: "Too much is being sent to us at this moment",
        },
      },
      registry,
    );
  }

  /**
   * What `work` asks to hold of a body is the caller's until it is done. Asking throws `too_many_requests` or `overloaded`;
   * then nothing of that body may be kept.
   */
  during<T>(caller: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    let counted = 0;
    const hold = (bytes: number) => {
      const more = Math.max(0, bytes - SHORT_BODY_BYTES) - counted;
      if (more <= 0) return;
      try {
        this.held.admit(caller);
      } catch (refusal) {
        // Who is refused keeps nothing, and may have room made for another body of his.
        letGo();
        throw refusal;
      }
      this.held.add(caller, more);
      counted += more;
    };
    const letGo = () => {
      this.held.add(caller, -counted);
      counted = 0;
    };
    return work(hold).finally(letGo);
  }
}
