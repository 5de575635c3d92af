import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { bytes } from "../../format/bytes";
import { Failure, useLoaded } from "../../parts/loaded";
import { usePolling } from "../../parts/polling";
import { useSession } from "../../session/context";
import { strings } from "../../strings";

const text = strings.flights.archive;

const MAKING_MS = 2_000;

/** Has the archive made when it is asked for, and leads to it. */
export function Archive({ id }: { id: number }) {
  const isWanted = useSignal(false);
  return (
    <>
      <p>{text.about}</p>
      <div class="archive">
        {isWanted.value ? (
          <MadeArchive id={id} />
        ) : (
          <button
            type="button"
            onClick={() => {
              isWanted.value = true;
            }}
          >
            {text.make}
          </button>
        )}
      </div>
      <p class="quiet-text">{text.verify}</p>
      <pre class="command">
        <code>npm run verify-archive -- FILE --key {location.origin}</code>
      </pre>
    </>
  );
}

function MadeArchive({ id }: { id: number }) {
  const { api } = useSession().client;
  const archive = useLoaded(
    async () =>
      (await reply(api.GET("/executions/{execution_id}/archive", { params: { path: { execution_id: id } } })))
        .data,
    [id],
  );
  const { status, url, size, error } = archive.data.value ?? { status: "pending" as const };
  usePolling(archive.reload, status === "pending" ? MAKING_MS : undefined);
  return (
    <div role="status">
      <Failure text={archive.failure.value} retry={archive.reload} />
      {status === "pending" && <p>{text.making}</p>}
      {status === "failed" && <Failure text={text.failed(error ?? "")} retry={archive.reload} />}
      {status === "ready" && url && (
        <>
          <p>{text.ready(bytes(size ?? 0))}</p>
          <a class="button" href={url}>
            {text.download}
          </a>
        </>
      )}
    </div>
  );
}
