import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import type { GatewayConfig } from "../config";
import { type ObjectStoreSettings, openObjects } from "./client";
import { Presigner } from "./presigner";

/** The user of a presigned URL: each reaches the store at an address of its own, which the signature covers. */
type UrlRecipient = "drone" | "user";

/** Of a playlist of eight hours, or of a thumbnail, there is less. */
const SMALL_BYTES = 2 ** 20;

const DELETED_AT_ONCE = 200;

/** A store may be silent while it copies 5 GB from disk to disk. */
const COPY_TIMEOUT_MS = 600_000;

/** S3 takes and copies no more bytes in one request. */
export const LARGEST_OBJECT = 5 * 2 ** 30;

/** How long a presigned URL works: a large video over a slow line takes most of an hour. */
export const URL_SECONDS = 3_600;

export type BucketSettings = ObjectStoreSettings &
  Pick<GatewayConfig, "S3_BUCKET" | "S3_PUBLIC_ENDPOINT" | "S3_DRONE_ENDPOINT">;

/** An object's content. */
export interface ObjectVersion {
  /** Bytes. */
  readonly size: number;
  /** The store's name for the content; null when it was not recorded. */
  readonly etag: string | null;
}

/** An object of a list. */
export interface StoredObject {
  readonly key: string;
  readonly version: ObjectVersion;
}

export const isSameVersion = (a: ObjectVersion, b: ObjectVersion): boolean =>
  a.size === b.size && (a.etag === null || b.etag === null || a.etag === b.etag);

/** The store holds another content than the one that was recorded. */
export class ObjectReplaced extends Error {}

/** A bucket. Methods reject with the SDK's errors, which carry the store's reply. */
export class ObjectStore {
  private readonly client: S3Client;
  private readonly copier: S3Client;
  private readonly presigners: Readonly<Record<UrlRecipient, Presigner>>;

  /** Of requests without a large body. */
  private readonly answer: { readonly requestTimeout: number };

  /** `answerMs`: how long each of three attempts of such a request waits for the answer to begin. */
  constructor(
    private readonly settings: BucketSettings,
    answerMs = 10_000,
  ) {
    this.answer = { requestTimeout: answerMs };
    const { S3_PUBLIC_ENDPOINT = settings.S3_ENDPOINT, S3_DRONE_ENDPOINT = S3_PUBLIC_ENDPOINT } = settings;
    const presigner = (endpoint: string | undefined) =>
      new Presigner(openObjects(settings, endpoint), this.bucket);
    this.client = openObjects(settings);
    this.copier = openObjects(settings, undefined, COPY_TIMEOUT_MS);
    this.presigners = { user: presigner(S3_PUBLIC_ENDPOINT), drone: presigner(S3_DRONE_ENDPOINT) };
  }

  close(): void {
    this.client.destroy();
    this.copier.destroy();
  }

  /** Its present version, or undefined when there is no such object. */
  async head(Key: string, abortSignal?: AbortSignal): Promise<ObjectVersion | undefined> {
    try {
      const command = new HeadObjectCommand({ Bucket: this.bucket, Key });
      const { ContentLength = 0, ETag = null } = await this.client.send(command, {
        ...this.answer,
        abortSignal,
      });
      return { size: ContentLength, etag: ETag };
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  /**
   * This version of an object, from the byte `start` on. Rejects with `ObjectReplaced` when the store holds another one,
   * so that never more bytes arrive than were counted before.
   */
  async read(Key: string, version: ObjectVersion, start = 0): Promise<Readable> {
    const Range = start > 0 ? `bytes=${start}-${version.size - 1}` : undefined;
    const command = new GetObjectCommand({ Bucket: this.bucket, Key, Range });
    const { Body, ContentLength = 0, ETag = null } = await this.client.send(command, this.answer);
    const body = Body as Readable;
    if (isSameVersion(version, { size: start + ContentLength, etag: ETag })) return body;
    body.on("error", () => {}).destroy();
    throw new ObjectReplaced(`The object ${Key} was replaced after it was recorded.`);
  }

  /**
   * The bytes from `start` to `end`, both included, or to the object's end, with the size of the whole object. Undefined when
   * there is no such object, or it ends before `start`.
   */
  async readPart(
    Key: string,
    start: number,
    end: number,
  ): Promise<{ body: Readable; version: ObjectVersion } | undefined> {
    try {
      const command = new GetObjectCommand({ Bucket: this.bucket, Key, Range: `bytes=${start}-${end}` });
      const { Body, ContentRange = "", ETag = null } = await this.client.send(command, this.answer);
      const size = Number(/\/(\d+)$/.exec(ContentRange)?.[1]);
      return { body: Body as Readable, version: { size, etag: ETag } };
    } catch (error) {
      if (isMissingObject(error) || (error as Error).name === "InvalidRange") return undefined;
      throw error;
    }
  }

  /** A small object whole. Rejects when it has more bytes than `SMALL_BYTES`. */
  async readSmall(Key: string): Promise<Buffer> {
    const command = new GetObjectCommand({ Bucket: this.bucket, Key });
    const { Body, ContentLength } = await this.client.send(command, this.answer);
    const body = Body as Readable;
    if (ContentLength !== undefined && ContentLength <= SMALL_BYTES) return buffer(body);
    body.on("error", () => {}).destroy();
    throw new Error(`The object ${Key} has ${ContentLength} bytes; at most ${SMALL_BYTES} are read.`);
  }

  async write(Key: string, Body: Buffer | string, ContentType: string): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket: this.bucket, Key, Body, ContentType }));
  }

  /**
   * Store a stream of unknown length, a few parts in memory at a time. The object appears under its key when all of it
   * has arrived.
   */
  async writeStream(Key: string, Body: Readable, ContentType: string, signal?: AbortSignal): Promise<void> {
    const upload = new Upload({
      client: this.client,
      params: { Bucket: this.bucket, Key, Body, ContentType },
      queueSize: 3,
      partSize: 16 * 2 ** 20,
      leavePartsOnError: false,
    });
    const abort = () => void upload.abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await upload.done();
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * Copies this version of an object within the store, and returns the version of the copy. Rejects with `ObjectReplaced`
   * when the store holds another one. The object has `LARGEST_OBJECT` bytes at most.
   */
  async copy(from: string, version: ObjectVersion, Key: string): Promise<ObjectVersion> {
    const command = new CopyObjectCommand({
      ...{ Bucket: this.bucket, Key, CopySource: `${this.bucket}/${from}` },
      CopySourceIfMatch: version.etag ?? undefined,
    });
    const replaced = `The object ${from} was replaced before it was copied.`;
    try {
      await this.copier.send(command);
    } catch (error) {
      if (statusOf(error) !== 412 && !isMissingObject(error)) throw error;
      throw new ObjectReplaced(replaced, { cause: error });
    }
    // The reply names the ETag in another form than HEAD and GET on some stores.
    const copy = await this.head(Key);
    if (copy?.size !== version.size) throw new ObjectReplaced(replaced);
    return copy;
  }

  /** The objects whose keys begin with this prefix, in the order of their keys. */
  async list(Prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix, ContinuationToken });
      const { Contents = [], NextContinuationToken } = await this.client.send(command, this.answer);
      for (const { Key = "", Size = 0, ETag = null } of Contents)
        found.push({ key: Key, version: { size: Size, etag: ETag } });
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Deletes every object whose key begins with this prefix. Safe to repeat. */
  async deletePrefix(Prefix: string): Promise<void> {
    for (;;) {
      const { Contents = [], IsTruncated } = await this.client.send(
        new ListObjectsV2Command({ Bucket: this.bucket, Prefix, MaxKeys: DELETED_AT_ONCE }),
        this.answer,
      );
      await this.deleteAll(Contents);
      if (!IsTruncated) return;
    }
  }

  /** Deletes the objects whose keys begin with this prefix and that were stored before then. Returns their number. */
  async deleteOld(Prefix: string, before: Date): Promise<number> {
    let deleted = 0;
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        ...{ Bucket: this.bucket, Prefix, ContinuationToken, MaxKeys: DELETED_AT_ONCE },
      });
      const { Contents = [], NextContinuationToken } = await this.client.send(command, this.answer);
      const old = Contents.filter(({ LastModified }) => LastModified && LastModified < before);
      await this.deleteAll(old);
      deleted += old.length;
      ContinuationToken = NextContinuationToken;
    } while (ContinuationToken !== undefined);
    return deleted;
  }

  private async deleteAll(objects: readonly { readonly Key?: string | undefined }[]): Promise<void> {
    await Promise.all(
      objects.map(({ Key }) =>
        this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key }), this.answer),
      ),
    );
  }

  /** Whether the object exists and begins with this text. Requests only that many bytes. */
  async beginsWith(Key: string, beginning: string, abortSignal?: AbortSignal): Promise<boolean> {
    const expected = Buffer.from(beginning);
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key,
      Range: `bytes=0-${expected.length - 1}`,
    });
    try {
      const { Body } = await this.client.send(command, { ...this.answer, abortSignal });
      return expected.equals(Buffer.from((await Body?.transformToByteArray()) ?? []));
    } catch (error) {
      if (isMissingObject(error) || isEmpty(error)) return false;
      throw error;
    }
  }

  /** A URL at which a plain PUT of any content stores it. The store refuses content of another size in bytes, if given. */
  presignPut(key: string, recipient: UrlRecipient, seconds: number, size?: number | null): Promise<string> {
    const headers: Record<string, string> = size == null ? {} : { "content-length": String(size) };
    return this.presigners[recipient].sign({ operation: "PutObject", key, seconds, headers });
  }

  /** `saveAs` makes a browser save it under that name instead of showing it. */
  presignGet(key: string, recipient: UrlRecipient, seconds: number, saveAs?: string): Promise<string> {
    const request = { operation: "GetObject", key, seconds } as const;
    if (saveAs === undefined) return this.presigners[recipient].sign(request);
    const bound = { "response-content-disposition": attachment(saveAs) };
    return this.presigners[recipient].sign({ ...request, bound });
  }

  /** Of the URLs that users get. Unlike a URL it needs no credentials. */
  get userOrigin(): string {
    const { S3_ENDPOINT, S3_PUBLIC_ENDPOINT = S3_ENDPOINT, S3_REGION: Region } = this.settings;
    if (S3_PUBLIC_ENDPOINT) return new URL(S3_PUBLIC_ENDPOINT).origin;
    return this.client.config.endpointProvider({ Region, Bucket: this.bucket }).url.origin;
  }

  private get bucket(): string {
    return this.settings.S3_BUCKET;
  }
}

/**
 * Stores differ in how they sign and send a file name with other characters: for such a one the browser uses the last
 * part of the key.
 */
const attachment = (name: string): string =>
  /^[\w.-]+$/.test(name) ? `attachment; filename="${name}"` : "attachment";

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

/** 416: an empty object has no range to read. */
const isEmpty = (error: unknown): boolean => statusOf(error) === 416;

/** Whether the error means that the object does not exist. */
export const isMissingObject = (error: unknown): boolean => {
  const { name } = error as { name?: string };
  return name === "NotFound" || name === "NoSuchKey" || statusOf(error) === 404;
};
