import { type ReadonlySignal, useComputed } from "@preact/signals";
import { reply } from "../../../client/client";
import { useLoaded } from "../../parts/loaded";
import { usePolling } from "../../parts/polling";
import { useSession } from "../../session/context";

/**
 * Whether the tunnel of the drone's computer is up, asked again and again. Undefined when it is not known: at first, and
 * when the last question failed.
 */
export function useTunnel(droneId: number, everyMs: number): ReadonlySignal<boolean | undefined> {
  const { api } = useSession().client;
  const { data, failure, reload } = useLoaded(
    () => reply(api.GET("/drone/{drone_id}/vpn/status", { params: { path: { drone_id: droneId } } })),
    [api, droneId],
  );
  usePolling(reload, everyMs);
  return useComputed(() => (failure.value === "" ? data.value?.status : undefined));
}
