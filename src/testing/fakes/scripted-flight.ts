import { build } from "../../vehicle/mavlink/wire/codec";
import { common } from "../../vehicle/mavlink/wire/messages";
import type { MavlinkPeer } from "./mavlink-peer";
import { ack } from "./scripted-link";

/** A heartbeat's fields of an armed vehicle. */
export const armed = (customMode = 0) => ({ baseMode: 129, customMode });
export const HOME = { latitude: 474_000_000, longitude: 85_000_000, altitude: 488_000 };

/** The commands that came, but the requests for messages. */
export const orders = (peer: MavlinkPeer) =>
  peer.of(common.CommandLong).filter(({ command }) => command !== 512);

/** Reacts to orders. Home and origin are the same, and requests for other messages than the landed state are refused. */
export function onCommand(
  peer: MavlinkPeer,
  react: (command: common.CommandLong) => void,
  landedState = 1,
): void {
  peer.on(common.CommandLong, (message) => {
    const { command, _param1 } = message;
    if (command !== 512) return react(message);
    const answer = {
      [common.HomePosition.MSG_ID]: () => build(common.HomePosition, HOME),
      [common.GpsGlobalOrigin.MSG_ID]: () => build(common.GpsGlobalOrigin, HOME),
      [common.ExtendedSysState.MSG_ID]: () => build(common.ExtendedSysState, { landedState }),
    }[_param1];
    peer.send(ack(command, answer ? 0 : 2));
    if (answer) peer.send(answer());
  });
}
