import {
  bytes,
  figures,
  formatTime,
  incidentsOf,
  planText,
  type ReportContents,
  statusText,
  title,
} from "./contents";
import { clock } from "./scale";

/** The report as plain text. */
export function reportText(contents: ReportContents): string {
  const { execution, droneName, stats, assets, missing, link } = contents;
  const numbers = figures(contents);
  const widest = Math.max(0, ...numbers.map(({ label }) => label.length));
  const part = (heading: string, lines: readonly string[]) =>
    lines.length > 0 ? ["", heading, ...lines] : [];
  return [
    `${title(contents)} (${droneName})`,
    `${statusText[execution.status]}, ${formatTime(execution.started_at)}`,
    ...(execution.notes ? ["", execution.notes] : []),
    "",
    ...numbers.map(({ label, value }) => `${`${label}:`.padEnd(widest + 2)}${value}`),
    ...part(
      "Flight modes",
      (stats?.modes ?? []).map(({ name, seconds }) => `  ${name} ${clock(seconds)}`),
    ),
    ...part(
      "Worth knowing",
      [...incidentsOf(contents), ...missing].map((line) => `  - ${line}`),
    ),
    ...part(
      "Pictures, videos and logs (links work for seven days)",
      assets.flatMap(({ name, size, url }) => [`  ${name} (${bytes(size)})`, `  ${url}`]),
    ),
    "",
    `Open the flight: ${link}`,
    planText[execution.plan_state],
    "",
  ].join("\n");
}
