import { reply } from "../../../client/client";
import { useSession } from "../../session/context";
import type { Asset } from "./flight-data";

/** Where the content of an asset is for the next hour; a browser saves what it is sent to there. */
export function useDownloadUrl(): (asset: Asset) => Promise<string> {
  const { api } = useSession().client;
  return async ({ id, drone_id }) => {
    const path = { vehicle_id: drone_id, asset_id: id };
    return (await reply(api.GET("/assets/{vehicle_id}/download/{asset_id}", { params: { path } })))
      .download_url;
  };
}
