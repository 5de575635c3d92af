/** The part of s3rver that the laptop and the tests use; the package carries no types. */
declare module "@20minutes/s3rver" {
  interface S3rverOptions {
    address: string;
    port: number;
    silent: boolean;
    directory: string;
    vhostBuckets: boolean;
    configureBuckets: { name: string; configs: string[] }[];
  }

  export default class S3rver {
    constructor(options: S3rverOptions);
    /** It is a Koa. */
    readonly middleware: import("koa").Middleware[];
    /** Present once `run` has resolved. */
    readonly httpServer: import("node:http").Server;
    run(): Promise<import("node:net").AddressInfo>;
    close(): Promise<void>;
  }
}
