/** The address of the n-th drone of the benchmark, from 1: known without a look-up. */
export const addressOf = (n: number): string => `10.71.${Math.floor(n / 250)}.${(n % 250) + 1}`;
