/**
 * Reads `npm audit --json` and exits with 1 when an advisory of a high or critical hole is not allowed. Each entry
 * of audit-allowed.json is `{ "advisory": "GHSA-…", "reason": "…", "until": "YYYY-MM-DD" }`.
 */
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const SEVERE = new Set(["high", "critical"]);

/** What to say of a report, and whether it is a failure. */
function judge(text, allowed, today) {
  const report = parse(text);
  if (!report?.vulnerabilities) {
    const why = report?.message ?? report?.error?.summary ?? "no answer";
    return { failed: false, lines: [`NOT AUDITED: the registry serves no advisories (${why}).`] };
  }
  const found = new Map();
  for (const { via } of Object.values(report.vulnerabilities))
    for (const advisory of via)
      if (typeof advisory === "object" && SEVERE.has(advisory.severity))
        found.set(advisory.url.split("/").at(-1), advisory);
  const lines = [];
  let failed = false;
  for (const [id, { name, title, severity }] of found) {
    const entry = allowed.find(({ advisory }) => advisory === id);
    const holds = entry?.reason && entry.until >= today;
    failed ||= !holds;
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
  return { failed, lines };
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
  const { failed, lines } = judge(readFileSync(0, "utf8"), allowed, new Date().toISOString().slice(0, 10));
  for (const line of lines) console.log(line);
  process.exit(failed ? 1 : 0);
}
