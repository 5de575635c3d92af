import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../../../../client/api-error";
import { History } from "./history";
import { type DraftOf, dropDraft, dropOwnDraft, type FoundDraft, keepDraft } from "./kept-drafts";

/** A plan as it is stored. */
export interface StoredPlan<Content> {
  readonly content: Content;
  /** By it the gateway knows whether the plan was changed since. */
  readonly etag: string;
  /** Of its points, in order: the numbers by which vehicles' refusals name them. */
  readonly sequences: readonly number[];
}

/** How one kind of plan is read and written. `Content` is immutable, and JSON. */
export interface PlanStore<Content> {
  readonly draftOf: DraftOf;
  load(): Promise<StoredPlan<Content>>;
  /** Rejects with a 412 when the stored plan is not that of the ETag. */
  save(content: Content, etag: string): Promise<Omit<StoredPlan<Content>, "content">>;
  isSame(a: Content, b: Content): boolean;
}

/**
 * saved → changed by an edit → saving → saved; or conflict: another tab or client has changed what is stored. Nothing is
 * overwritten then until the user has chosen.
 */
export type EditorState = "saved" | "changed" | "saving" | "conflict";

/** Milliseconds after which a change is kept: one goes on for many events. */
const KEEP_MS = 250;

/** One plan under edit in this tab. What is not saved is kept in the browser. */
export class PlanEditor<Content> {
  readonly history: History<Content>;
  private readonly current = signal<EditorState>("saved");
  private readonly other = signal<StoredPlan<Content> | undefined>(undefined);
  private readonly restored = signal<string | undefined>(undefined);
  private readonly noRoom = signal(false);
  private readonly base;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    stored: StoredPlan<Content>,
    private readonly store: PlanStore<Content>,
    private readonly found: FoundDraft<Content> | undefined,
  ) {
    this.base = signal(stored);
    this.history = new History(stored.content);
    if (found) this.restore(found, stored);
  }

  get content(): Content {
    return this.history.present;
  }
  get state(): ReadonlySignal<EditorState> {
    return this.current;
  }
  /** What is stored, as far as this tab knows. In the state `saved` its points are those of `content`. */
  get stored(): ReadonlySignal<StoredPlan<Content>> {
    return this.base;
  }
  /** In the state `conflict`: what is stored now. */
  get theirs(): ReadonlySignal<StoredPlan<Content> | undefined> {
    return this.other;
  }
  /** When the draft was made that the editor began with, ISO 8601. Undefined without one, and after an edit of it. */
  get restoredAt(): ReadonlySignal<string | undefined> {
    return this.restored;
  }
  /** The browser has no room for the draft: leaving the page loses it. */
  get isUnkept(): ReadonlySignal<boolean> {
    return this.noRoom;
  }

  /** Changes of the same `name` in a row are undone together. */
  change(content: Content, name?: string): void {
    this.history.change(content, name);
    this.noteChange();
  }
  undo(): void {
    this.history.undo();
    this.noteChange();
  }
  redo(): void {
    this.history.redo();
    this.noteChange();
  }

  /** Returns whether it is saved; a conflict is a state. Rejects as the request otherwise. */
  async save(): Promise<boolean> {
    const sent = this.history.peek();
    this.current.value = "saving";
    try {
      const saved = await this.store.save(sent, this.base.peek().etag);
      this.base.value = { content: sent, ...saved };
    } catch (error) {
      this.current.value = "changed";
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      this.conflictWith(await this.store.load());
      return this.current.peek() === "saved";
    }
    this.current.value = "changed";
    this.noteChange();
    return true;
  }

  /** Stores what is edited in place of what another tab or client has stored. */
  async overwrite(): Promise<void> {
    this.acceptTheirs();
    await this.save();
  }

  /** Goes on with what another tab or client has stored. An undo has the edited plan again. */
  takeTheirs(): void {
    this.acceptTheirs();
    this.history.change(this.base.peek().content);
    this.settle();
  }

  /** Begins anew with what is stored. What was not saved is gone. */
  discard(): void {
    this.acceptTheirs();
    this.history.restart(this.base.peek().content);
    this.settle();
  }

  /** Looks whether another tab or client has changed what is stored. Shows it at once where nothing is lost by that. */
  async look(): Promise<void> {
    const isBusy = () => this.current.peek() === "saving";
    if (isBusy()) return;
    const now = await this.store.load();
    if (isBusy() || now.etag === this.base.peek().etag) return;
    if (this.current.peek() !== "saved") return this.conflictWith(now);
    this.base.value = now;
    this.history.restart(now.content);
  }

  /** Before the page is left. */
  keepNow(): void {
    if (this.timer === undefined) return;
    this.stopTimer();
    const { etag } = this.base.peek();
    const draft = { content: this.history.peek(), etag, at: new Date().toISOString() };
    this.noRoom.value = !keepDraft(this.store.draftOf, draft);
  }

  private restore({ draft }: FoundDraft<Content>, stored: StoredPlan<Content>): void {
    if (this.store.isSame(draft.content, stored.content)) {
      this.settle();
      return;
    }
    this.history.change(draft.content);
    this.current.value = "changed";
    this.restored.value = draft.at;
    if (draft.etag === stored.etag) return;
    this.base.value = { ...stored, etag: draft.etag };
    this.conflictWith(stored);
  }

  private acceptTheirs(): void {
    this.base.value = this.other.peek() ?? this.base.peek();
    this.other.value = undefined;
    this.current.value = "changed";
  }

  private conflictWith(theirs: StoredPlan<Content>): void {
    if (this.store.isSame(theirs.content, this.history.peek())) {
      // Both came to the same.
      this.base.value = theirs;
      this.settle();
      return;
    }
    this.other.value = theirs;
    this.current.value = "conflict";
  }

  private noteChange(): void {
    const isOpen = this.current.peek() === "saved" || this.current.peek() === "changed";
    if (isOpen && this.store.isSame(this.history.peek(), this.base.peek().content)) {
      this.settle();
      return;
    }
    if (isOpen) this.current.value = "changed";
    this.restored.value = undefined;
    this.timer ??= setTimeout(() => this.keepNow(), KEEP_MS);
  }

  private settle(): void {
    this.stopTimer();
    this.other.value = undefined;
    this.current.value = "saved";
    this.restored.value = undefined;
    this.noRoom.value = false;
    dropOwnDraft(this.store.draftOf);
    if (this.found) dropDraft(this.found.key);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
