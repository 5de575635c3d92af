import { type MavlinkPeer, startPeer } from "../../testing/fakes/mavlink-peer";
import { ack, scriptedLinks } from "../../testing/fakes/scripted-link";
import { until } from "../../testing/until";
import { dialDirect } from "../dialers/direct";
import type { VehicleLink } from "../link";
import { openMavlinkLink } from "./link";
import { build, FrameWriter } from "./wire/codec";
import { ardupilotmega, common, minimal } from "./wire/messages";

const open = scriptedLinks();

let peer: MavlinkPeer | undefined;
let link: VehicleLink | undefined;

afterEach(async () => {
  link?.close("the test is over");
  await peer?.close();
  peer = link = undefined;
});

describe("opening a link", () => {
  test("follows the autopilot's heartbeat whatever its system id, and no other component's", async () => {
    const thePeer = await startPeer({ systemId: 42, autopilot: 12, type: 13, heartbeatMs: 80 });
    peer = thePeer;
    const signal = new AbortController().signal;
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      signal,
    );
    const opening = openMavlinkLink(stream, { systemId: 245 }, signal);
    const gcs = build(minimal.Heartbeat, { type: 6, autopilot: 8 });
    const gimbal = build(minimal.Heartbeat, { type: 26, autopilot: 8 });
    thePeer.send(gcs, { as: new FrameWriter(255, 190) });
    thePeer.send(gimbal, { as: new FrameWriter(42, 154) });
    link = await opening;
    expect(link.vehicle).toEqual({ autopilot: "px4", kind: "copter", systemId: 42, componentId: 1 });
    expect(link.state).toBe("ready");
  });

  test("rejects vehicles that it cannot fly, with the reason", async () => {
    const thePeer = await startPeer({ type: 1 });
    peer = thePeer;
    const giveUp = new AbortController();
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      giveUp.signal,
    );
    const opening = openMavlinkLink(stream, { systemId: 245 }, giveUp.signal);
    setTimeout(() => giveUp.abort(), 200);
    await expect(opening).rejects.toMatchObject({
      code: "not_supported",
      message: expect.stringContaining("MAV_TYPE 1"),
    });
  });

  test("rejects the system id 255, whose heartbeats mask a vehicle's failsafe", async () => {
    const thePeer = await startPeer();
    peer = thePeer;
    const signal = new AbortController().signal;
    const stream = await dialDirect(
      { key: "1", host: thePeer.host, port: thePeer.port, via: "direct" },
      signal,
    );
    await expect(openMavlinkLink(stream, { systemId: 255 }, signal)).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("sends heartbeats as ground station 245/190 and nothing else unasked", async () => {
    const { peer } = await open();
    await until(() => peer.of(minimal.Heartbeat).length >= 2);
    expect(new Set(peer.received.map(({ message }) => message.constructor))).toEqual(
      new Set([minimal.Heartbeat]),
    );
    expect(peer.received[0]).toMatchObject({
      systemId: 245,
      componentId: 190,
      message: { type: 6, autopilot: 8 },
    });
  });
});

describe("telemetry", () => {
  test("intervals are requested once, and each listener gets every message", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    const heard: string[] = [];
    link.onTelemetry(({ type }) => void heard.push(`a ${type}`));
    const stop = link.onTelemetry(({ type }) => void heard.push(`b ${type}`));
    expect(peer.of(common.CommandLong)).toEqual([]);
    link.setStreams(true);
    link.setStreams(true);
    await until(() => peer.of(common.CommandLong).some(({ command }) => command === 512));
    const asked = peer.of(common.CommandLong).filter(({ command }) => command === 511);
    expect(new Set(asked.map(({ _param1 }) => _param1)).size).toBe(asked.length);
    expect(asked.map(({ _param1 }) => _param1)).toContain(ardupilotmega.EkfStatusReport.MSG_ID);
    peer.send(build(common.VfrHud, { heading: 90 }));
    await until(() => heard.length === 2);
    stop();
    peer.send(build(common.VfrHud, { heading: 91 }));
    await until(() => heard.length === 3);
    expect(heard).toEqual(["a hud", "b hud", "a hud"]);
  });
});
