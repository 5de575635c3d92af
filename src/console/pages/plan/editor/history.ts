import { signal } from "@preact/signals";

/** Steps that can be undone. Contents share what they have in common. */
const MOST_STEPS = 200;

interface Steps<Content> {
  readonly past: readonly Content[];
  readonly present: Content;
  readonly future: readonly Content[];
}

/** Immutable contents, one after another. */
export class History<Content> {
  private readonly steps;
  /** Changes of the same name in a row are one step. */
  private lastName: string | undefined;

  constructor(content: Content) {
    this.steps = signal<Steps<Content>>({ past: [], present: content, future: [] });
  }

  /** A signal's value: where it is shown, it is shown anew when it changes. */
  get present(): Content {
    return this.steps.value.present;
  }
  peek(): Content {
    return this.steps.peek().present;
  }
  get canUndo(): boolean {
    return this.steps.value.past.length > 0;
  }
  get canRedo(): boolean {
    return this.steps.value.future.length > 0;
  }
  /** `name`: of a change that goes on, such as the typing of a text; its steps are undone together. */
  change(content: Content, name?: string): void {
    const { past, present } = this.steps.peek();
    if (content === present) return;
    const goesOn = name !== undefined && name === this.lastName && past.length > 0;
    this.lastName = name;
    this.steps.value = {
      past: goesOn ? past : [...past.slice(1 - MOST_STEPS), present],
      present: content,
      future: [],
    };
  }

  undo(): void {
    const { past, present, future } = this.steps.peek();
    const before = past.at(-1);
    this.lastName = undefined;
    if (before !== undefined)
      this.steps.value = { past: past.slice(0, -1), present: before, future: [present, ...future] };
  }

  redo(): void {
    const { past, present, future } = this.steps.peek();
    const [after, ...rest] = future;
    this.lastName = undefined;
    if (after !== undefined) this.steps.value = { past: [...past, present], present: after, future: rest };
  }

  /** Begins anew with this content. */
  restart(content: Content): void {
    this.lastName = undefined;
    this.steps.value = { past: [], present: content, future: [] };
  }
}
