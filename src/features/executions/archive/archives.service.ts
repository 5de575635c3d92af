import type { KeyObject } from "node:crypto";
import type { z } from "zod";
import { DomainError } from "../../../domain/errors";
import { enqueue } from "../../../platform/jobs/jobs";
import { URL_SECONDS } from "../../../platform/objects/object-store";
import type { Services } from "../../../platform/services";
import type { ArchiveReply } from "../executions.schema";
import type { Execution } from "../executions.store";
import { archiveKey } from "./archive-keys";
import { type ArchiveRequest, type ArchiveRow, findArchive, requestArchive } from "./archives.store";
import { fingerprintOf, publicKeyOf } from "./manifest";

export interface ArchiveDeps extends Pick<Services, "db" | "store" | "clock"> {
  /** Signs manifests. */
  readonly key: KeyObject | undefined;
}

/** Archives for owners. Rejects with `unavailable` when no signing key is configured. */
export class ArchivesService {
  constructor(private readonly deps: ArchiveDeps) {}

  /** The archive. Requests a new one when there is none or it is out of date. */
  async get(execution: Execution): Promise<z.output<typeof ArchiveReply>> {
    this.signingKey();
    const known = await findArchive(this.deps.db, execution.id);
    const outdated = known?.status === "ready" && known.made_revision !== known.revision;
    if (!known || outdated) return this.request(execution, "build");
    return this.reply(known);
  }

  /** Requests a new archive in any case. */
  async rebuild(execution: Execution): Promise<z.output<typeof ArchiveReply>> {
    this.signingKey();
    return this.request(execution, "rebuild");
  }

  private async request(
    { id, user_id }: Execution,
    mode: ArchiveRequest,
  ): Promise<z.output<typeof ArchiveReply>> {
    const requested = await this.deps.db.transaction(async (trx) => {
      const row = await requestArchive(trx, id, mode, this.deps.clock.now());
      await enqueue(trx, {
        task: "make-archive",
        payload: { execution_id: id },
        user: user_id,
        key: `make-archive:${id}`,
        // One job at a time per execution: two could store the older archive and record the newer one.
        serial: id,
      });
      return row;
    });
    return this.reply(requested);
  }

  publicKey() {
    const key = this.signingKey();
    return {
      algorithm: "Ed25519" as const,
      public_key: publicKeyOf(key),
      fingerprint: fingerprintOf(key),
    };
  }

  private async reply(row: ArchiveRow): Promise<z.output<typeof ArchiveReply>> {
    const { store, clock } = this.deps;
    const ready = row.status === "ready";
    const name = `execution-${row.execution_id}.zip`;
    return {
      execution_id: row.execution_id,
      status: row.status,
      url: ready ? await store.presignGet(archiveKey(row.execution_id), "user", URL_SECONDS, name) : null,
      expires_at: ready ? new Date(clock.now().getTime() + URL_SECONDS * 1000).toISOString() : null,
      size: ready ? row.size : null,
      sha256: ready ? row.sha256 : null,
      made_at: ready ? (row.made_at?.toISOString() ?? null) : null,
      error: row.error,
    };
  }

  private signingKey(): KeyObject {
    if (this.deps.key) return this.deps.key;
    throw new DomainError("unavailable", "No signing key for archives is configured (ARCHIVE_SIGNING_KEY).");
  }
}
