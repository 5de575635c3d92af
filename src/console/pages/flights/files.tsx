import { bytes } from "../../format/bytes";
import { NO_VALUE } from "../../format/units";
import { strings } from "../../strings";
import { ActionButton } from "./action-button";
import { useDownloadUrl } from "./asset-actions";
import type { Asset } from "./flight-data";

const text = strings.flights.files;

/** Every file of the flight, with what is missing of it. */
export function Files({ assets }: { assets: readonly Asset[] }) {
  const downloadUrl = useDownloadUrl();
  if (assets.length === 0) return <p>{text.none}</p>;
  return (
    <table class="list files">
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col" class="when-wide">
            {text.kind}
          </th>
          <th scope="col" class="number">
            {text.size}
          </th>
          <th scope="col">
            <span class="visually-hidden">{text.download}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {assets.map((asset) => (
          <tr key={asset.id}>
            <th scope="row">
              {asset.file_name}
              <div class="when-narrow">{kindOf(asset)}</div>
            </th>
            <td class="when-wide">{kindOf(asset)}</td>
            <td class="number">{asset.size === null ? NO_VALUE : bytes(asset.size)}</td>
            <td>
              {asset.status === "ready" ? (
                <ActionButton
                  label={text.downloadOf(asset.file_name)}
                  act={async () => location.assign(await downloadUrl(asset))}
                >
                  {text.download}
                </ActionButton>
              ) : (
                whyNot(asset)
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const kindOf = ({ recorded, asset_type }: Asset): string =>
  recorded ? text.recorded : text.kinds[asset_type];

const whyNot = ({ status, failure }: Asset): string =>
  status === "failed" ? text.failed(failure ?? "") : text.pending;
