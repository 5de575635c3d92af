/** Wait for a condition; rejects, quoting it, when it has not come true within the limit. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`This has not come true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
