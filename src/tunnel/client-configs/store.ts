import { setTimeout as delay } from "node:timers/promises";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { PeerId } from "../../domain/peers";

/** Where a removed peer's config is kept for 30 days: `tombstones/users/<vpn_key_id>/<ip>.conf`. */
export const tombstoneKey = (id: PeerId): string => `${TOMBSTONES}${id}.conf`;

/** Where a config is put aside that does not name its peer, or whose key cannot be read. */
export const damagedKey = (of: string): string => `${TOMBSTONES}damaged/${of}.conf`;

export const INDEX_KEY = "vpn/index.json";
export const ENDPOINTS_KEY = "vpn/endpoints.json";
const TOMBSTONES = "tombstones/";

/** To parse a page of a thousand takes 20 ms, and an audit reads page after page: changes come first. */
const KEYS_AT_ONCE = 200;
const BETWEEN_PAGES_MS = 20;

interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modified: Date;
}

/** Configs are short, and `/drone/activate` waits for a first one for 15 s at most. */
const ANSWER_MS = 4_000;

/** The bucket of client configs. Every call rejects with the store's own error. */
export class ConfigStore {
  private readonly answer: { readonly requestTimeout: number };

  /** `answerMs`: how long a call waits for the answer to begin, each of three times over connections of their own. */
  constructor(
    private readonly s3: S3Client,
    private readonly bucket: string,
    answerMs = ANSWER_MS,
  ) {
    this.answer = { requestTimeout: answerMs };
  }

  async get(key: string): Promise<string | undefined> {
    try {
      const { Body } = await this.s3.send(
        new GetObjectCommand({ Bucket: this.bucket, Key: key }),
        this.answer,
      );
      return await Body?.transformToString();
    } catch (error) {
      if ((error as Error).name === "NoSuchKey") return undefined;
      throw error;
    }
  }

  /** With `onlyNew` it rejects with `PreconditionFailed` when another hub was first, where the store supports `If-None-Match`. */
  async put(key: string, text: string, { onlyNew = false } = {}): Promise<void> {
    await this.s3.send(
      new PutObjectCommand({
        Bucket: this.bucket,
        Key: key,
        Body: text,
        ContentType: key.endsWith(".json") ? "application/json" : "text/plain; charset=utf-8",
        ...(onlyNew ? { IfNoneMatch: "*" } : {}),
      }),
      this.answer,
    );
  }

  async delete(key: string): Promise<void> {
    await this.s3.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }), this.answer);
  }

  configs = (): Promise<StoredObject[]> => this.list("vpn/");
  tombstones = (): Promise<StoredObject[]> => this.list(TOMBSTONES);

  private async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    let from: string | undefined;
    do {
      const page = await this.s3.send(
        new ListObjectsV2Command({
          ...{ Bucket: this.bucket, Prefix: prefix, ContinuationToken: from },
          MaxKeys: KEYS_AT_ONCE,
        }),
        this.answer,
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key) found.push({ key: Key, bytes: Size ?? 0, modified: LastModified ?? new Date() });
      }
      from = page.IsTruncated ? page.NextContinuationToken : undefined;
      if (from) await delay(BETWEEN_PAGES_MS);
    } while (from);
    return found;
  }
}
