import { randomName } from "../../../parts/random-name";

/** What was changed and not saved, as it is kept in the browser. */
export interface KeptDraft<Content> {
  readonly content: Content;
  /** The ETag of the stored plan that it was made of. */
  readonly etag: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface DraftOf {
  readonly userId: number;
  readonly kind: "mission" | "geofence";
  readonly planId: number;
}

export interface FoundDraft<Content> {
  readonly key: string;
  readonly draft: KeptDraft<Content>;
}

/** Of `sessionStorage`: a tab finds its own drafts after a reload. */
const TAB = "drafts-tab";

let ownTab = "";

/** The name of this tab. While the tab is open, it holds a lock of that name, where the browser has locks. */
function tab(): string {
  if (ownTab) return ownTab;
  ownTab = sessionStorage.getItem(TAB) ?? randomName();
  sessionStorage.setItem(TAB, ownTab);
  void navigator.locks?.request(lockOf(ownTab), () => new Promise(() => {}));
  return ownTab;
}

const lockOf = (name: string): string => `${TAB} ${name}`;
const start = (userId: number, kind: string): string => `draft ${userId} ${kind} `;
const startOf = ({ userId, kind, planId }: DraftOf): string => `${start(userId, kind)}${planId} `;

/** Each tab has a draft of its own of a plan: none overwrites that of another. Returns false when the browser has no room. */
export function keepDraft<Content>(of: DraftOf, draft: KeptDraft<Content>): boolean {
  try {
    localStorage.setItem(startOf(of) + tab(), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** This tab's draft; without one, the newest of the tabs that were closed. */
export async function findDraft<Content>(of: DraftOf): Promise<FoundDraft<Content> | undefined> {
  const own = startOf(of) + tab();
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const open = new Set(held.map(({ name }) => name));
  return keysOf(startOf(of))
    .filter((key) => key === own || !open.has(lockOf(key.slice(startOf(of).length))))
    .flatMap((key) => {
      const draft = read<Content>(key);
      return draft ? [{ key, draft }] : [];
    })
    .sort((a, b) => Number(b.key === own) - Number(a.key === own) || b.draft.at.localeCompare(a.draft.at))[0];
}

export const dropDraft = (key: string): void => localStorage.removeItem(key);

/** This tab's. */
export const dropOwnDraft = (of: DraftOf): void => dropDraft(startOf(of) + tab());

/** All of a plan that is gone. */
export const dropDrafts = (of: DraftOf): void => keysOf(startOf(of)).forEach(dropDraft);

/** The ids of the user's plans that have a draft. */
export function plansWithDraft(userId: number, kind: DraftOf["kind"]): ReadonlySet<number> {
  const prefix = start(userId, kind);
  return new Set(keysOf(prefix).map((key) => Number.parseInt(key.slice(prefix.length), 10)));
}

const keysOf = (prefix: string): string[] =>
  Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at) ?? "").filter((key) =>
    key.startsWith(prefix),
  );

function read<Content>(key: string): KeptDraft<Content> | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? "") as KeptDraft<Content>;
    return draft.content && typeof draft.etag === "string" && typeof draft.at === "string"
      ? draft
      : undefined;
  } catch {
    return undefined;
  }
}
