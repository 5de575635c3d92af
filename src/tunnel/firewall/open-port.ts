/** A port that the firewall opens. */
export interface OpenPort {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}
