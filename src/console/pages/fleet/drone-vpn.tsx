import { reply } from "../../../client/client";
import { Dialog } from "../../parts/dialog";
import { VpnConfig } from "../../parts/vpn-config";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Drone } from "./fleet-model";

const text = strings.fleet.vpnDialog;

export function DroneVpn({ drone: { id, name }, onClose }: { drone: Drone; onClose: () => void }) {
  const { api } = useSession().client;
  const params = { path: { drone_id: id } };
  return (
    <Dialog title={text.title(name)} onClose={onClose}>
      <VpnConfig
        warning={text.warning}
        fileName={`drone-${id}.conf`}
        read={async () => (await reply(api.GET("/drone/{drone_id}/vpn/config", { params }))).config}
      />
    </Dialog>
  );
}
