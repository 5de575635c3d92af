/** A drone's id from a command line; undefined for any other text. */
export const droneId = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
