import { dialDirect } from "../../vehicle/dialers/direct";
import type { VehicleLink } from "../../vehicle/link";
import { openMavlinkLink } from "../../vehicle/mavlink/link";
import type { MavlinkTimings } from "../../vehicle/mavlink/timings";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common } from "../../vehicle/mavlink/wire/messages";
import type { TransferRecords } from "../../vehicle/transfer-records";
import { px4Integer } from "./ground-station";
import { type MavlinkPeer, type PeerOptions, startPeer } from "./mavlink-peer";

/** A link's timings, shortened so that an unanswered request costs a test little. */
export const QUICK_TIMINGS: MavlinkTimings = {
  command: { timeoutMs: 60, attempts: 3, timesyncMs: 60, settleMs: 20, progressMs: 2000, statusTextMs: 150 },
  param: { timeoutMs: 60, attempts: 3 },
  plan: { timeoutMs: 100, attempts: 4, verdictMs: 60, messageMs: 80 },
  flight: { modeMs: 400, messageMs: 80, setpointAttempts: 2, targetMs: 80, objectionMs: 80, touchdownMs: 80 },
  heartbeatTimeoutMs: 5000,
};

/** When PX4 says what it thinks of a plan: within `verdictMs` after an upload, and later than the upload takes. */
export const VERDICT_MS = 40;

/** The function that opens a link to a scripted autopilot of its own; both end with the test. */
export function scriptedLinks() {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  return async (
    options: PeerOptions = {},
    timings: Partial<MavlinkTimings> = {},
    records?: TransferRecords,
  ): Promise<{ peer: MavlinkPeer; link: VehicleLink }> => {
    const peer = await startPeer(options);
    endings.push(() => peer.close());
    const { signal } = new AbortController();
    const stream = await dialDirect({ key: "1", host: peer.host, port: peer.port, via: "direct" }, signal);
    const link = await openMavlinkLink(
      stream,
      { systemId: 245, timings: { ...QUICK_TIMINGS, ...timings }, records },
      signal,
    );
    endings.unshift(async () => link.close("the test is over"));
    return { peer, link };
  };
}

/** COMMAND_ACK, addressed to us unless `more` says otherwise. */
export const ack = (command: number, result: number, more: Partial<common.CommandAck> = {}) =>
  build(common.CommandAck, { command, result, targetSystem: 245, targetComponent: 190, ...more });

export const text = (severity: number, words: string, more: Partial<common.StatusText> = {}) =>
  build(common.StatusText, { severity, text: words, ...more });

/** Lets the peer have this parameter, an integer, which ArduPilot sends as a float and PX4 as its bytes. */
export function answerParam(
  peer: MavlinkPeer,
  paramId: string,
  value: number,
  autopilot: "ardupilot" | "px4" = "ardupilot",
): void {
  const paramType = common.MavParamType.INT32;
  const paramValue = autopilot === "px4" ? px4Integer(value) : value;
  peer.on(common.ParamRequestRead, (request) => {
    if (request.paramId !== paramId) return;
    peer.send(
      build(common.ParamValue, { paramId, paramValue, paramType, paramCount: 1, paramIndex: 0xffff }),
    );
  });
}
