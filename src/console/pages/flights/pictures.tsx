import { useSignal } from "@preact/signals";
import { Dialog } from "../../parts/dialog";
import { Failure, useLoaded } from "../../parts/loaded";
import { strings } from "../../strings";
import { useDownloadUrl } from "./asset-actions";
import type { Asset } from "./flight-data";

const text = strings.flights.pictures;

/** The thumbnails of the flight's pictures. One that is pressed is shown large. */
export function Pictures({ assets }: { assets: readonly Asset[] }) {
  const opened = useSignal<Asset | undefined>(undefined);
  const pictures = assets.filter(({ asset_type, status }) => asset_type === "image" && status === "ready");
  if (pictures.length === 0) return <p>{text.none}</p>;
  return (
    <>
      <ul class="pictures">
        {pictures.map((picture) => (
          <li key={picture.id}>
            <button
              type="button"
              aria-label={text.open(picture.file_name)}
              onClick={() => {
                opened.value = picture;
              }}
            >
              {picture.thumbnail_url ? (
                <img src={picture.thumbnail_url} alt="" loading="lazy" />
              ) : (
                <span class="no-preview">{picture.derivation_failure ?? text.noPreview}</span>
              )}
              <span class="name">{picture.file_name}</span>
            </button>
          </li>
        ))}
      </ul>
      {opened.value && (
        <Picture
          picture={opened.value}
          onClose={() => {
            opened.value = undefined;
          }}
        />
      )}
    </>
  );
}

function Picture({ picture, onClose }: { picture: Asset; onClose: () => void }) {
  const downloadUrl = useDownloadUrl();
  const url = useLoaded(() => downloadUrl(picture), [picture.id]);
  return (
    <Dialog title={picture.file_name} onClose={onClose}>
      <Failure text={url.failure.value} retry={url.reload} />
      <div class="picture">{url.data.value && <img src={url.data.value} alt={picture.file_name} />}</div>
    </Dialog>
  );
}
