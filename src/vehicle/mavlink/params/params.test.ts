import { scriptedLinks } from "../../../testing/fakes/scripted-link";
import { build } from "../wire/codec";
import { common, ParamError } from "../wire/messages";
import { writeParamValue } from "./param-value";

const open = scriptedLinks();

describe("parameters", () => {
  test("of PX4 carry integers bytewise in both directions, also negative ones", async () => {
    const { peer, link } = await open({ autopilot: 12 });
    let stored = -1;
    const answer = () =>
      peer.send(
        build(common.ParamValue, { paramId: "COM_FLTMODE1", paramType: 6, paramCount: 9, paramIndex: 65535 }),
        { patch: (payload) => writeParamValue(payload, stored, 6, "px4") },
      );
    peer.on(common.ParamRequestRead, answer);
    peer.on(common.ParamSet, () => {
      stored = -2;
      answer();
    });
    expect(await link.readParams(["COM_FLTMODE1"])).toEqual([{ param_id: "COM_FLTMODE1", value: -1 }]);
    expect(await link.writeParam("COM_FLTMODE1", -2)).toEqual({ param_id: "COM_FLTMODE1", value: -2 });
    await expect(link.writeParam("COM_FLTMODE1", 1.5)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("that the vehicle clamps are reported as refused, with what it kept", async () => {
    const { peer, link } = await open();
    const answer = () =>
      peer.send(build(common.ParamValue, { paramId: "RTL_ALT", paramValue: 3000, paramType: 9 }));
    peer.on(common.ParamRequestRead, answer);
    peer.on(common.ParamSet, answer);
    await expect(link.writeParam("RTL_ALT", 9_000_000)).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringContaining("3000"),
    });
  });

  test("that do not exist get another error than a vehicle that does not answer", async () => {
    const { peer, link } = await open();
    peer.on(common.ParamRequestRead, ({ paramId }) => {
      if (paramId === "KNOWN_NOT") {
        peer.send(build(ParamError, { targetSystem: 245, targetComponent: 190, paramId, error: 1 }));
      }
    });
    await expect(link.readParams(["KNOWN_NOT"])).rejects.toMatchObject({ code: "vehicle_refused" });
    await expect(link.readParams(["SILENT"])).rejects.toMatchObject({ code: "vehicle_timeout" });
    await expect(link.readParams(["much too long a name"])).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("that were sent and not read back have an unknown outcome", async () => {
    const { peer, link } = await open();
    let reads = 0;
    peer.on(common.ParamRequestRead, ({ paramId }) => {
      reads += 1;
      if (reads === 1) peer.send(build(common.ParamValue, { paramId, paramValue: 3000, paramType: 9 }));
    });
    await expect(link.writeParam("RTL_ALT", 2000)).rejects.toMatchObject({
      code: "outcome_unknown",
      message: expect.stringContaining("RTL_ALT was sent as 2000 and not read back"),
    });
    expect(reads).toBeGreaterThan(1);
    peer.on(common.ParamRequestRead, () => peer.disconnect());
    await expect(link.writeParam("RTL_ALT", 2000)).rejects.toMatchObject({ code: "vehicle_unreachable" });
  });

  test("missing from the list are requested by their index", async () => {
    const { peer, link } = await open();
    const send = (paramIndex: number) =>
      peer.send(
        build(common.ParamValue, {
          ...{ paramId: `P${paramIndex}`, paramValue: paramIndex / 2 },
          ...{ paramType: 9, paramCount: 6, paramIndex },
        }),
      );
    peer.on(common.ParamRequestList, () => [0, 2, 5].map(send));
    peer.on(common.ParamRequestRead, ({ paramIndex }) => send(paramIndex));
    const params = [0, 1, 2, 3, 4, 5].map((index) => ({ param_id: `P${index}`, value: index / 2 }));
    expect(await link.pullParams()).toEqual({ params, total: 6 });
    expect(peer.of(common.ParamRequestRead).map(({ paramIndex }) => paramIndex)).toEqual([1, 3, 4]);
  });
});
