/** A number as people enter it, with a point or a comma. Undefined for every other text, an empty one too. */
export function readNumber(entered: string): number | undefined {
  const text = entered.trim().replace(",", ".");
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : undefined;
}
