import type { VehicleLink } from "../../vehicle/link";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common } from "../../vehicle/mavlink/wire/messages";
import type { TransferRecords } from "../../vehicle/transfer-records";
import { missionItem } from "../worlds/plans";
import type { MavlinkPeer, PeerOptions } from "./mavlink-peer";
import { scriptedLinks } from "./scripted-link";

export type Stored = common.MissionItemInt;
export const TO_GATEWAY = { targetSystem: 245, targetComponent: 190 };
export const FENCE = 1;

interface Store {
  readonly items: Stored[];
  /** What the autopilot does with MISSION_COUNT and with an item, for tests that come before it. */
  begin: (count: common.MissionCount) => void;
  take: (item: Stored) => void;
  /** Called with each item number as it is about to be requested; returns how often to ask for it. */
  timesAsked: (seq: number) => number;
  /** Requests that get no item are repeated: by this kind. */
  request: typeof common.MissionRequest | typeof common.MissionRequestInt;
  /** The acknowledgement of the whole is lost. */
  losesAcknowledgement: boolean;
  /** What the autopilot makes of an item when it gives it back. */
  givesBack: (item: Stored) => Stored;
}

/** The function that opens a link to an autopilot that stores what it is sent and answers as `store` says. */
export function scriptedPlans() {
  const openLink = scriptedLinks();
  return async (
    options: PeerOptions = {},
    records?: TransferRecords,
  ): Promise<{ peer: MavlinkPeer; link: VehicleLink; store: Store }> => {
    const { peer, link } = await openLink(options, { param: { timeoutMs: 20, attempts: 1 } }, records);
    return { peer, link, store: keepPlans(peer) };
  };
}

/** The receiving and giving half of the mission protocol, by the book; `store` bends it. */
function keepPlans(thePeer: MavlinkPeer): Store {
  let expected = 0;
  const ask = (seq: number, missionType: number) => {
    for (let time = 0; time < store.timesAsked(seq); time++) {
      thePeer.send(build(store.request, { ...TO_GATEWAY, seq, missionType }));
    }
  };
  const store: Store = {
    items: [],
    begin: ({ count, missionType }) => {
      store.items.length = 0;
      expected = count;
      ask(0, missionType);
    },
    take: (item) => {
      if (item.seq !== store.items.length) {
        thePeer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 13, missionType: item.missionType }));
        return;
      }
      store.items.push(item);
      if (store.items.length < expected) ask(store.items.length, item.missionType);
      else if (!store.losesAcknowledgement) {
        thePeer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 0, missionType: item.missionType }));
      }
    },
    timesAsked: () => 1,
    request: common.MissionRequest,
    losesAcknowledgement: false,
    givesBack: (item) => item,
  };
  thePeer.on(common.MissionCount, store.begin);
  thePeer.on(common.MissionItemInt, store.take);
  thePeer.on(common.MissionRequestList, ({ missionType }) =>
    thePeer.send(build(common.MissionCount, { ...TO_GATEWAY, count: store.items.length, missionType })),
  );
  thePeer.on(common.MissionRequestInt, ({ seq, missionType }) => {
    const item = store.items[seq];
    if (!item) return;
    thePeer.send(
      Object.assign(new common.MissionItemInt(), store.givesBack(item), { ...TO_GATEWAY, missionType }),
    );
  });
  thePeer.on(common.MissionSetCurrent, ({ seq }) => thePeer.send(build(common.MissionCurrent, { seq })));
  thePeer.on(common.MissionClearAll, ({ missionType }) => {
    store.items.length = 0;
    thePeer.send(build(common.MissionAck, { ...TO_GATEWAY, type: 0, missionType }));
  });
  return store;
}

export const PLAN = [missionItem({ command: 22 }), missionItem(), missionItem({ x_lat: -47.5 })];
