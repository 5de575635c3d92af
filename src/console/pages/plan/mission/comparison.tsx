import { strings } from "../../../strings";
import { commandName } from "../commands";
import { fieldInWords, numberInWords } from "../drone/transfer-result";
import type { ComparedMission, Difference, RowMarks } from "./row-marks";

interface ComparisonProps {
  readonly marks: RowMarks;
  readonly rowOf: (sequence: number | null) => string;
  readonly onShow: (key: number) => void;
}

const text = strings.plan.comparison;

/** Rows that are shown; the rest is counted. */
const MOST = 100;

/** How what is on board differs from the saved mission, row by row. */
export function Comparison({ marks, rowOf, onShow }: ComparisonProps) {
  const compared = marks.compared.value;
  if (!compared) return null;
  const { same, missing = [], extra = [] } = compared;
  const rows = byRow(compared);
  return (
    <div class="comparison">
      <h3>{text.title}</h3>
      <p role="status" class={same ? "notice" : "caution"}>
        {text.states[compared.state]} {same ? text.same : text.different}
      </p>
      <ul class="row-differences">
        {rows.slice(0, MOST).map(([sequence, differences]) => {
          const key = marks.keyOf(sequence);
          return (
            <li key={sequence}>
              <RowName
                name={text.row(rowOf(sequence))}
                onShow={key === undefined ? undefined : () => onShow(key)}
              />
              <dl>
                {differences.map(({ field, stored, on_board }) => (
                  <div key={field}>
                    <dt>{fieldInWords(field)}</dt>
                    <dd>{text.values(inWords(field, stored), inWords(field, on_board))}</dd>
                  </div>
                ))}
              </dl>
            </li>
          );
        })}
        {missing.slice(0, MOST).map((sequence) => {
          const key = marks.keyOf(sequence);
          return (
            <li key={`missing ${sequence}`}>
              <RowName
                name={text.row(rowOf(sequence))}
                onShow={key === undefined ? undefined : () => onShow(key)}
              />
              <p>{text.missing}</p>
            </li>
          );
        })}
        {extra.slice(0, MOST).map((sequence) => {
          const item = compared.items.find((one) => one.sequence === sequence);
          return (
            <li key={`extra ${sequence}`}>
              <strong>{text.item(sequence)}</strong>
              <p>{text.extra(item ? commandName(item.command) : "")}</p>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const RowName = ({ name, onShow }: { name: string; onShow: (() => void) | undefined }) =>
  onShow ? (
    <button type="button" onClick={onShow}>
      {name}
    </button>
  ) : (
    <strong>{name}</strong>
  );

function byRow({ differences = [] }: ComparedMission): [number | null, Difference[]][] {
  const rows = new Map<number | null, Difference[]>();
  for (const one of differences) rows.set(one.sequence, [...(rows.get(one.sequence) ?? []), one]);
  return [...rows];
}

const inWords = (field: string, value: number | null): string =>
  field === "command" && value !== null ? commandName(value) : numberInWords(value);
