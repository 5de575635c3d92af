import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { reply } from "../../../client/client";
import { useSession } from "../../session/context";

/**
 * Whether the tunnel of the drone's computer is up, asked again and again. Undefined when it is not known: at first, and
 * when the last question failed.
 */
export function useTunnel(droneId: number, everyMs: number): ReadonlySignal<boolean | undefined> {
  const { api } = useSession().client;
  const isUp = useSignal<boolean | undefined>(undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const ask = async () => {
      const answer = await reply(
        api.GET("/drone/{drone_id}/vpn/status", { params: { path: { drone_id: droneId } } }),
      ).catch(() => undefined);
      if (isOver) return;
      isUp.value = answer?.status;
      timer = setTimeout(ask, everyMs);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api, droneId, everyMs]);
  return isUp;
}
