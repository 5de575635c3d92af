import type { AddressInfo, Server } from "node:net";

/** Errors of `::` on a machine without IPv6. */
const WITHOUT_IPV6 = new Set(["EAFNOSUPPORT", "EADDRNOTAVAIL"]);

/** A URL's host as a socket takes it: an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/** As it stands in a URL: an IPv6 address in brackets. */
export const inUrl = (host: string): string => (/^[^[].*:/.test(host) ? `[${host}]` : host);

/** Whether it stands for every address of the machine. */
export const isWildcard = (host: string): boolean => host === "::" || host === "0.0.0.0";

/**
 * Listen and return `host:port` as in a URL. `::` means every address, IPv4 included; on a machine without IPv6 it means
 * every IPv4 address. Rejects with one line that names address and reason.
 */
export async function openPort(server: Server, port: number, host: string): Promise<string> {
  try {
    return await listenAt(server, port, host);
  } catch (error) {
    const { code = "" } = (error as Error).cause as NodeJS.ErrnoException;
    if (host !== "::" || !WITHOUT_IPV6.has(code)) throw error;
    return listenAt(server, port, "0.0.0.0");
  }
}

function listenAt(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const opened = () => {
      server.off("error", failed);
      resolve(`${inUrl(host)}:${(server.address() as AddressInfo).port}`);
    };
    const failed = (cause: NodeJS.ErrnoException) => {
      server.off("listening", opened);
      reject(new Error(`Cannot listen on ${inUrl(host)}:${port} (${cause.code}).`, { cause }));
    };
    server.once("listening", opened).once("error", failed).listen(port, host);
  });
}
