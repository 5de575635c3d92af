import { type ReadonlySignal, signal } from "@preact/signals";
import type { components } from "../../../../client/api-types";
import type { PlanEditor } from "../editor/plan-editor";
import type { MissionContent } from "./row";

export type ComparedMission = components["schemas"]["ComparedMission"];
export type Difference = NonNullable<ComparedMission["differences"]>[number];

/** What a vehicle says of the rows: which one it refused, and how what is on board differs. */
export interface RowMarks {
  /** Of the saved mission, by its points' sequences; undefined for a row that it has not. */
  keyOf(sequence: number | null): number | undefined;
  refuse(refusal: { readonly key: number; readonly text: string } | undefined): void;
  compareWith(compared: ComparedMission | undefined): void;
  readonly refused: ReadonlySignal<{ readonly key: number; readonly text: string } | undefined>;
  readonly compared: ReadonlySignal<ComparedMission | undefined>;
  /** Keys of rows that are not on board, or there with other values. */
  readonly different: ReadonlySignal<ReadonlySet<number>>;
}

export function rowMarks(editor: PlanEditor<MissionContent>): RowMarks {
  const refused = signal<{ key: number; text: string } | undefined>(undefined);
  const compared = signal<ComparedMission | undefined>(undefined);
  const different = signal<ReadonlySet<number>>(new Set());
  const keyOf = (sequence: number | null) => {
    const { sequences, content } = editor.stored.peek();
    return sequence === null ? undefined : content.rows[sequences.indexOf(sequence)]?.key;
  };
  return {
    ...{ keyOf, refused, compared, different },
    refuse(refusal) {
      refused.value = refusal;
    },
    compareWith(comparison) {
      compared.value = comparison;
      const sequences = [
        ...(comparison?.differences ?? []).map(({ sequence }) => sequence),
        ...(comparison?.missing ?? []),
      ];
      different.value = new Set(sequences.map(keyOf).filter((key) => key !== undefined));
    },
  };
}
