/** Text before a list of labels in braces. */
const lists = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;
const operators = new Set(["and", "or", "unless", "bool", "offset"]);

/** Every selector of series in a query, each as written: `fleet_jobs{state="due"}`. Durations and functions are not selectors. */
export function selectorsOf(query: string): string[] {
  const bare = query.replace(lists, " ").replace(/\[[^\]]*\]/g, "");
  return [...bare.matchAll(/(?<![\w:."'{])([a-zA-Z_:][\w:]*)(?![\w:])(\{[^}]*\}|(?!\s*\())/g)]
    .filter(([, name = ""]) => !operators.has(name))
    .map(([selector]) => selector);
}

/** Selectors of the queries that do not begin with these matchers, and so find other releases' series too. */
export const unscoped = (queries: readonly string[], scope: string): string[] =>
  queries.flatMap(selectorsOf).filter((selector) => !selector.includes(`{${scope}`));
