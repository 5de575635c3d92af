/** 32 bytes in base64, as `wg` reads and prints them. */
export type PublicKey = string & { readonly __brand: "PublicKey" };
/** As `PublicKey`, and secret: it never reaches a log, a metric, an error or a reply. */
export type PrivateKey = string & { readonly __brand: "PrivateKey" };

/** The last of the 43 digits carries four bits only; another digit there is another length. */
const key = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

export const isPublicKey = (text: string): text is PublicKey => key.test(text);
export const isPrivateKey = (text: string): text is PrivateKey => key.test(text);
