import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { Dialog } from "../../parts/dialog";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { usePolling } from "../../parts/polling";
import { VpnConfig } from "../../parts/vpn-config";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Section } from "./section";

const text = strings.account.vpn;

const POLL_MS = 15_000;

/** The user's own tunnel. Its config has a private key: the dialog that shows it forgets it when it is closed. */
export function VpnPart() {
  const { api } = useSession().client;
  const status = useLoaded(() => reply(api.GET("/user/vpn/status")));
  usePolling(status.reload, POLL_MS);
  const isOpen = useSignal(false);
  const show = (shown: boolean) => () => {
    isOpen.value = shown;
  };
  return (
    <Section title={text.title}>
      <p>{text.intro}</p>
      <ShowLoaded of={status}>
        {({ status: isUp }) => <p class={isUp ? "state up" : "state"}>{isUp ? text.up : text.down}</p>}
      </ShowLoaded>
      <button type="button" onClick={show(true)}>
        {text.open}
      </button>
      {isOpen.value && (
        <Dialog title={text.dialog} onClose={show(false)}>
          <VpnConfig
            warning={text.warning}
            fileName="fleet.conf"
            read={async () => (await reply(api.GET("/user/vpn/config"))).config}
          />
        </Dialog>
      )}
    </Section>
  );
}
