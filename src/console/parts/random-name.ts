/** No other tab has it. The browser's `randomUUID` is missing where the page came by plain HTTP from another machine. */
export const randomName = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
