import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl, S3RequestPresigner } from "@aws-sdk/s3-request-presigner";

const METHODS = { GetObject: "GET", PutObject: "PUT" } as const;

interface PresignRequest {
  readonly operation: keyof typeof METHODS;
  readonly key: string;
  /** How long the URL is valid. */
  readonly seconds: number;
  /** Parameters that the signature covers. */
  readonly bound?: Readonly<Record<string, string>>;
  /** Headers that the request must carry. */
  readonly headers?: Record<string, string>;
}

/** Where a bucket's objects are. */
interface Address {
  /** As a request names it: `https:`. */
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  /** What stands before an object's key. */
  readonly folder: string;
}

/**
 * Signs URLs of a bucket's objects byte for byte as `getSignedUrl` does, at a part of its cost: `getSignedUrl` builds the
 * client's whole middleware stack for each URL, and lists have thousands of them.
 */
export class Presigner {
  private readonly signer: S3RequestPresigner;
  private address: Promise<Address> | undefined;

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {
    this.signer = new S3RequestPresigner(client.config);
  }

  /** Sends no request to the store. Rejects when there are no credentials. */
  async sign({ operation, key, seconds, bound, headers = {} }: PresignRequest): Promise<string> {
    this.address ??= this.findAddress();
    const { folder, ...server } = await this.address;
    const path = folder + key.split("/").map(escaped).join("/");
    const query = { ...bound, "x-id": operation };
    const request = { ...server, path, query, method: METHODS[operation], headers };
    const signed = await this.signer.presign(request, { expiresIn: seconds });
    const parameters = Object.entries(signed.query ?? {})
      .map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`)
      .sort();
    const port = server.port === undefined ? "" : `:${server.port}`;
    return `${server.protocol}//${server.hostname}${port}${path}?${parameters.join("&")}`;
  }

  /** Found by the SDK, whose rules differ between AWS and a store with an endpoint. */
  private async findAddress(): Promise<Address> {
    const Key = "key";
    try {
      const command = new GetObjectCommand({ Bucket: this.bucket, Key });
      const { protocol, hostname, port, pathname } = new URL(await getSignedUrl(this.client, command));
      const folder = pathname.slice(0, -Key.length);
      return { protocol, hostname, ...(port && { port: Number(port) }), folder };
    } catch (error) {
      // The next call may find credentials.
      this.address = undefined;
      throw error;
    }
  }
}

/** RFC 3986: all but unreserved characters. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
