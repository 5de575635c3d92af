/** A drone's id as somebody types it; undefined when it is none. */
export const droneId = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
