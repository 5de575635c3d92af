import { escapeMarkup as safe } from "../../../platform/escape-markup";
import {
  bytes,
  figures,
  formatTime,
  incidentsOf,
  planText,
  type ReportAsset,
  type ReportContents,
  statusText,
  title,
} from "./contents";
import { palette } from "./palette";
import { clock } from "./scale";

/**
 * The report as HTML for mail programs: tables and inline styles only, one column that fits a phone, pictures by
 * content id.
 */
export function reportHtml(contents: ReportContents): string {
  const { execution } = contents;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${safe(title(contents))}</title></head>
<body style="margin:0;padding:0;background:${palette.ground};-webkit-text-size-adjust:100%">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${palette.ground};font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:${palette.text}"><tr><td align="center" style="padding:16px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:${palette.paper};border-radius:12px;overflow:hidden">
${header(contents)}
${execution.notes ? section(`<p style="margin:0;font-size:15px;line-height:1.55;white-space:pre-line">${safe(execution.notes)}</p>`) : ""}
${figureGrid(contents)}
${picture(contents.hasMap, "track", "Map of the flown track")}
${picture(contents.hasPlot, "plot", "Altitude and speed over time")}
${modes(contents)}
${incidents(contents)}
${assetList(contents.assets)}
${footer(contents)}
</table></td></tr></table></body></html>
`;
}

const section = (content: string): string => `<tr><td style="padding:20px 20px 0">${content}</td></tr>`;

const heading = (text: string): string =>
  `<h2 style="margin:0 0 10px;font-size:13px;letter-spacing:.06em;text-transform:uppercase;color:${palette.soft};font-weight:600">${text}</h2>`;

function header(contents: ReportContents): string {
  const { execution, droneName } = contents;
  const good = execution.status === "completed";
  const pill = good ? palette.start : execution.status === "aborted" ? palette.warn : palette.end;
  return `<tr><td style="background:${palette.ink};padding:24px 20px 22px;color:#ffffff">
<div style="font-size:13px;color:#b9c4da">${safe(droneName)}</div>
<h1 style="margin:4px 0 12px;font-size:24px;line-height:1.25;font-weight:700;color:#ffffff">${safe(title(contents))}</h1>
<span style="display:inline-block;background:${pill};color:#ffffff;border-radius:999px;padding:4px 12px;font-size:13px;font-weight:600">${statusText[execution.status]}</span>
<div style="padding-top:10px;font-size:13px;color:#d5ddec">${formatTime(execution.started_at)}</div>
</td></tr>`;
}

/** Two to a row; a last odd one has its row to itself. */
function figureGrid(contents: ReportContents): string {
  const all = figures(contents);
  if (all.length === 0) return "";
  const cell = ({ label, value }: { label: string; value: string }, span: number) =>
    `<td width="${span === 2 ? 100 : 50}%" colspan="${span}" valign="top" style="background:${palette.ground};border-radius:8px;padding:12px"><div style="font-size:12px;color:${palette.soft}">${label}</div><div style="font-size:20px;line-height:1.3;font-weight:700;color:${palette.ink};white-space:nowrap">${value}</div></td>`;
  const rows: string[] = [];
  for (let at = 0; at < all.length; at += 2) {
    const pair = all.slice(at, at + 2);
    rows.push(`<tr>${pair.map((figure) => cell(figure, pair.length === 1 ? 2 : 1)).join("")}</tr>`);
  }
  return `<tr><td style="padding:12px 12px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="8">${rows.join("")}</table></td></tr>`;
}

const picture = (shown: boolean, id: string, words: string): string =>
  shown
    ? section(
        `<img src="cid:${id}" alt="${words}" width="560" style="display:block;width:100%;height:auto;border:1px solid ${palette.line};border-radius:8px">`,
      )
    : "";

function modes({ stats }: ReportContents): string {
  const shown = (stats?.modes ?? []).filter(({ seconds }) => seconds >= 0.5).slice(0, 8);
  const whole = shown.reduce((sum, { seconds }) => sum + seconds, 0);
  if (whole === 0) return "";
  const rows = shown.map(({ name, seconds }) => {
    const share = Math.max(2, Math.round((seconds / whole) * 100));
    return `<tr><td style="padding:3px 0;font-size:14px;white-space:nowrap">${safe(name)}</td><td width="60%" style="padding:3px 10px"><div style="background:${palette.ground};border-radius:4px"><div style="width:${share}%;height:10px;background:${palette.track};border-radius:4px;font-size:0">&nbsp;</div></div></td><td align="right" style="padding:3px 0;font-size:14px;color:${palette.soft};white-space:nowrap">${clock(seconds)}</td></tr>`;
  });
  return section(
    `${heading("Flight modes")}<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join("")}</table>`,
  );
}

function incidents(contents: ReportContents): string {
  const lines = [...incidentsOf(contents).slice(0, 12), ...contents.missing];
  if (lines.length === 0) return "";
  const items = lines.map((line) => `<li style="margin:0 0 4px">${safe(line)}</li>`).join("");
  return section(
    `<div style="background:#fff6e9;border-left:4px solid ${palette.warn};border-radius:6px;padding:12px 14px">${heading("Worth knowing")}<ul style="margin:0;padding-left:18px;font-size:14px;line-height:1.5">${items}</ul></div>`,
  );
}

function assetList(assets: readonly ReportAsset[]): string {
  if (assets.length === 0) return "";
  const rows = assets.map(({ name, kind, size, url, thumbnail }) => {
    const shown = thumbnail
      ? `<img src="cid:${thumbnail}" alt="" width="72" style="display:block;width:72px;height:auto;border-radius:6px">`
      : `<div style="width:72px;height:54px;line-height:54px;text-align:center;background:${palette.ground};border-radius:6px;font-size:12px;color:${palette.soft}">${kind}</div>`;
    return `<tr><td width="72" style="padding:6px 0">${shown}</td><td style="padding:6px 12px;font-size:14px;line-height:1.4;word-break:break-word"><a href="${safe(url)}" style="color:${palette.track};text-decoration:none;font-weight:600">${safe(name)}</a><br><span style="color:${palette.soft};font-size:13px">${kind}, ${bytes(size)}</span></td></tr>`;
  });
  return section(
    `${heading("Pictures, videos and logs")}<table role="presentation" width="100%" cellpadding="0" cellspacing="0">${rows.join("")}</table>`,
  );
}

const footer = ({ execution, assets, link }: ReportContents): string =>
  `<tr><td style="padding:22px 20px 24px">
<a href="${safe(link)}" style="display:block;background:${palette.track};color:#ffffff;text-align:center;text-decoration:none;border-radius:8px;padding:13px;font-size:15px;font-weight:600">Open the flight</a>
<p style="margin:16px 0 0;font-size:12px;line-height:1.5;color:${palette.soft}">${planText[execution.plan_state]}${assets.length > 0 ? " Links to files work for seven days; the web client has them afterwards." : ""}</p>
</td></tr>`;
