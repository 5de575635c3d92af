import { strings } from "../../../strings";

export interface Adjusted {
  readonly sequence: number | null;
  readonly field: string;
  readonly sent: number | null;
  readonly stored: number | null;
}

const text = strings.plan.drone;

/** Entries that are shown; the rest is counted. */
const MOST = 100;

interface AdjustedListProps {
  readonly adjusted: readonly Adjusted[];
  readonly warnings: readonly string[];
  /** How a row is called, by its sequence. */
  readonly rowOf: (sequence: number | null) => string;
}

/** What the vehicle stores in another form than it was sent in, and what it says of it. */
export function TransferResult({ adjusted, warnings, rowOf }: AdjustedListProps) {
  return (
    <>
      {warnings.length > 0 && (
        <>
          <h3>{text.warnings}</h3>
          <ul class="caution">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {adjusted.length > 0 && (
        <>
          <h3>{text.adjusted(adjusted.length)}</h3>
          <div class="scrolled">
            <table class="list values">
              <thead>
                <tr>
                  <th scope="col">{text.row}</th>
                  <th scope="col">{text.field}</th>
                  <th scope="col">{text.sent}</th>
                  <th scope="col">{text.storedAs}</th>
                </tr>
              </thead>
              <tbody>
                {adjusted.slice(0, MOST).map(({ sequence, field, sent, stored }) => (
                  <tr key={`${sequence} ${field}`}>
                    <th scope="row">{rowOf(sequence)}</th>
                    <td>{fieldInWords(field)}</td>
                    <td>{numberInWords(sent)}</td>
                    <td>{numberInWords(stored)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {adjusted.length > MOST && <p>{text.more(adjusted.length - MOST)}</p>}
        </>
      )}
    </>
  );
}

export const fieldInWords = (field: string): string =>
  (text.fields as Readonly<Record<string, string>>)[field] ?? field;

/** As the vehicle has it, not in the user's units: it is what a ground station would show. */
export const numberInWords = (value: number | null): string =>
  value === null ? strings.plan.byVehicle : String(Number(value.toPrecision(10)));
