/** Goes to a page of the payment provider. An address that is no web page's is none of the provider's. */
export function leaveFor(address: string): void {
  if (!isWebPage(address)) throw new Error(`${address} is no address of a page.`);
  location.assign(address);
}

export const isWebPage = (address: string): boolean => /^https?:\/\//.test(address);
