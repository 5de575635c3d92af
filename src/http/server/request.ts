import { IncomingMessage } from "node:http";

/** An incoming request of every server of ours. */
export class Request extends IncomingMessage {
  private offersUpgrade: boolean | null = null;

  /**
   * Node treats any offered protocol as an upgrade once the server accepts WebSockets. A server that does not know the
   * protocol has to answer in HTTP/1.1 (RFC 9110, 7.8): curl and Java offer h2c.
   */
  get upgrade(): boolean {
    return this.offersUpgrade === true && this.headers.upgrade?.toLowerCase() === "websocket";
  }

  set upgrade(offered: boolean | null) {
    this.offersUpgrade = offered;
  }
}
