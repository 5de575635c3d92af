/**
 * Reads `npm audit --json` and exits with 1 when an advisory of a high or critical hole is not allowed, and with 75
 * when the registry could not be asked just now. Each entry of audit-allowed.json is
 * `{ "advisory": "GHSA-…", "reason": "…", "until": "YYYY-MM-DD" }`.
 */
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const SEVERE = new Set(["high", "critical"]);

/** What a registry answers that serves packages and no advisories, as mirrors do: asking again changes nothing. */
const SERVES_NONE = new Set([404, 405, 501]);

/** The exit status of each verdict; 75 is sysexits' "try again". */
const EXITS = { clean: 0, holes: 1, none: 0, unreachable: 75 };

/**
 * What to say of a report, and the verdict: `clean`; `holes` that are not allowed; `none` from a registry that serves
 * no advisories; `unreachable`, one that gave no answer to go by.
 */
function judge(text, allowed, today) {
  const report = parse(text);
  if (!report?.vulnerabilities) {
    const why = report?.message || report?.error?.summary || "no answer";
    if (SERVES_NONE.has(report?.statusCode)) {
      const line = `NOT AUDITED: no verdict, the registry serves no advisories (${why}). Audit against one that does.`;
      return { verdict: "none", lines: [line] };
    }
    const line = `NOT AUDITED: no verdict, the registry could not be asked (${why}). With CI=true that fails.`;
    return { verdict: "unreachable", lines: [line] };
  }
  const found = new Map();
  for (const { via } of Object.values(report.vulnerabilities))
    for (const advisory of via)
      if (typeof advisory === "object" && SEVERE.has(advisory.severity))
        found.set(advisory.url.split("/").at(-1), advisory);
  const lines = [];
  let verdict = "clean";
  for (const [id, { name, title, severity }] of found) {
    const entry = allowed.find(({ advisory }) => advisory === id);
    const holds = entry?.reason && entry.until >= today;
    if (!holds) verdict = "holes";
    const state = holds
      ? `allowed until ${entry.until}: ${entry.reason}`
      : entry
        ? "its allowance has expired"
        : "";
    lines.push(`${severity} ${id} ${name}: ${title}${state && ` (${state})`}`);
  }
  for (const { advisory } of allowed)
    if (!found.has(advisory)) lines.push(`${advisory} is allowed but not found: take it off the list.`);
  lines.push(`${found.size} advisories of high or critical holes in what a release runs.`);
  return { verdict, lines };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = { judge };

if (require.main === module) {
  const allowed = JSON.parse(readFileSync(join(__dirname, "audit-allowed.json"), "utf8"));
  const { verdict, lines } = judge(readFileSync(0, "utf8"), allowed, new Date().toISOString().slice(0, 10));
  const say = verdict === "clean" || verdict === "holes" ? console.log : console.error;
  for (const line of lines) say(line);
  process.exit(EXITS[verdict]);
}
