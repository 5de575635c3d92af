/** What a version's section of CHANGELOG.md says. */
export interface Release {
  readonly version: string;
  /** YYYY-MM-DD */
  readonly date: string;
  /** Markdown: the section without its own heading. */
  readonly notes: string;
}

/** One entry of a section. */
export interface Change {
  /** As Keep a Changelog and Artifact Hub have them: added, changed, deprecated, removed, fixed, security. */
  readonly kind: string;
  readonly description: string;
}

/** The newest version's section. Throws when there are changes above it that have no version. */
export function newestRelease(changelog: string): Release {
  const [unreleased = "", newest = ""] = changelog.split(/^## (?=\[)/m).slice(1);
  const [, version, date, notes] = /^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})\n(.*)$/s.exec(newest) ?? [];
  if (!unreleased.startsWith("[Unreleased]\n") || !version || !date || notes === undefined)
    throw new Error("CHANGELOG.md does not begin with [Unreleased] and a version with its date.");
  if (unreleased.replace("[Unreleased]", "").trim() !== "")
    throw new Error("CHANGELOG.md has changes under [Unreleased]. Put them under a version first.");
  return { version, date, notes: notes.trim() };
}

/** The entries of a section's lists, without those of lists inside. */
export const changesOf = (notes: string): Change[] =>
  notes
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const [kind = "", ...lines] = part.split("\n");
      return lines
        .join("\n")
        .split(/^- /m)
        .slice(1)
        .map((entry) => ({ kind: kind.trim().toLowerCase(), description: paragraph(entry) }));
    });

/** The first paragraph, on one line. */
const paragraph = (entry: string): string =>
  (entry.split(/\n(?! {2}[^\s-])/)[0] ?? "").replaceAll(/\s+/g, " ").trim();
