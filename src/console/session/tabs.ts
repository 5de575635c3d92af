import type { Tokens } from "../../client/client";

/** What the tabs of one browser tell each other about their common session. */
export type TabMessage =
  /** From a new tab, which has no session. */
  | { readonly kind: "who-is-signed-in" }
  | { readonly kind: "answer"; readonly tokens: Tokens }
  | { readonly kind: "signed-in"; readonly tokens: Tokens }
  | { readonly kind: "refreshed"; readonly tokens: Tokens }
  | { readonly kind: "signed-out" };

export interface Tabs {
  tell(message: TabMessage): void;
}

/** The other tabs of this origin. A browser lets no page of another origin listen. */
export function otherTabs(onMessage: (message: TabMessage) => void): Tabs {
  const channel = new BroadcastChannel("session");
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
  return { tell: (message) => channel.postMessage(message) };
}
