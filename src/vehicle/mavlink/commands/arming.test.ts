import { armed, orders } from "../../../testing/fakes/scripted-flight";
import { ack, scriptedLinks, text } from "../../../testing/fakes/scripted-link";
import { build } from "../wire/codec";
import { common, Event, type MavLinkData, minimal } from "../wire/messages";

const open = scriptedLinks();

describe("arming", () => {
  const AUTO = 3;

  test("says the mode that the vehicle is then armed in", async () => {
    const state = { baseMode: 1, customMode: 5 };
    const { peer, link } = await open({ state });
    peer.on(common.CommandLong, ({ command }) => {
      if (command === 400) state.baseMode = 129;
      peer.send(ack(command, 0));
    });
    await expect(link.arm()).resolves.toMatchObject({ mode: "LOITER" });
  });

  test("that is acknowledged by a vehicle that stays disarmed is not reported as done", async () => {
    const { peer, link } = await open();
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.arm()).rejects.toMatchObject({
      code: "vehicle_refused",
      message: expect.stringContaining("reports that it is disarmed"),
    });
  });

  test("that is acknowledged by a vehicle whose heartbeats are rare has an unknown outcome", async () => {
    const { peer, link } = await open({ heartbeatMs: 5_000 });
    peer.on(common.CommandLong, ({ command }) => {
      peer.send(ack(command, 0));
      // Of the moment before it armed.
      if (command === 400) peer.send(build(minimal.Heartbeat, { type: 2, autopilot: 3, baseMode: 1 }));
    });
    await expect(link.arm()).rejects.toMatchObject({ code: "outcome_unknown" });
  });

  describe("that is refused", () => {
    const LOITER = 0x03040000;
    const px4 = { autopilot: 12, state: { baseMode: 1, customMode: LOITER } };
    const ALL = 0xffffffff;
    const OF_LOITER = 1 << 4;
    const SAFETY = 7_959_667;
    const NO_POSITION = 12_276_004;
    const NO_SD_CARD = 10_996_333;
    const MODE_UNFIT = 1_871_713;

    /** One report: the modes in which it may be armed, and the checks that fail. */
    function report(
      canArm: number,
      checks: readonly (readonly [id: number, modes?: number, level?: number])[],
    ) {
      const summary = Buffer.alloc(40);
      summary.writeUInt32LE(canArm, 9);
      const all = [
        [11_047_904, summary, 8] as const,
        ...checks.map(([id, modes = ALL, level = 3]) => {
          const args = Buffer.alloc(40);
          args.writeUInt32LE(modes >>> 0);
          return [id, args, level] as const;
        }),
        [1_914_663, Buffer.alloc(40), 8] as const,
      ];
      return all.map(([id, args, level], at) =>
        build(Event, {
          id: 0x1_00_00_00 + id,
          sequence: (65_534 + at) & 0xffff,
          logLevels: level,
          arguments: [...args],
        }),
      );
    }

    /** Refuses with this text, and answers the request for its checks by these messages. */
    async function refusing(
      options: Parameters<typeof open>[0],
      words: string | undefined,
      answer: readonly MavLinkData[],
      agrees = true,
    ): Promise<string> {
      const { peer, link } = await open(options);
      peer.on(common.CommandLong, ({ command }) => {
        if (command === 400) {
          if (words) peer.send(text(2, words));
          peer.send(ack(command, 1));
        } else if (command === 401) {
          if (agrees) for (const message of answer) peer.send(message);
          peer.send(ack(command, agrees ? 0 : 3));
        } else peer.send(ack(command, 0));
      });
      return link.arm().then(
        () => "armed",
        (error: Error) => error.message,
      );
    }

    const DENIED = "Arming denied: Resolve failures first";

    test("by PX4 is explained by the checks that it reports when it is asked", async () => {
      const answer = [
        ...report(0, [[SAFETY], [NO_SD_CARD, ALL, 4], [NO_POSITION, OF_LOITER]]),
        text(2, "Preflight Fail: x\t"),
      ];
      expect(await refusing(px4, `${DENIED}\t`, answer)).toBe(
        `The vehicle refused to arm (MAV_RESULT_TEMPORARILY_REJECTED): ${DENIED}; ` +
          "Vehicle is in safety configuration (COM_ARMABLE); Global position estimate required (COM_ARM_WO_GPS)",
      );
    });

    test("by PX4 is not explained by checks of other modes, nor by any when this mode can be armed", async () => {
      const others = report(0, [[SAFETY, ~OF_LOITER], [NO_POSITION]]);
      expect(await refusing(px4, DENIED, others)).toMatch(
        /first; Global position estimate required \(COM_ARM_WO_GPS\)$/,
      );
      const optional = report(1, [
        [NO_SD_CARD, ALL, 4],
        [MODE_UNFIT, OF_LOITER, 6],
      ]);
      expect(await refusing(px4, DENIED, optional)).toMatch(/first; Mode not suitable for arming$/);
      const canArm = report(OF_LOITER, [[NO_SD_CARD, ALL, 4]]);
      expect(await refusing(px4, "Arming denied: calibrating", canArm)).toMatch(
        /: Arming denied: calibrating$/,
      );
    });

    test.each([
      ["an event of it is lost", report(0, [[SAFETY], [NO_POSITION]]).toSpliced(2, 1)],
      ["its end is lost", report(0, [[SAFETY], [NO_POSITION]]).slice(0, -1)],
      ["the table lacks one of its checks", report(0, [[SAFETY], [1]])],
      ["it sends no events", []],
    ])("by PX4 is explained by the status texts when %s", async (_what, events) => {
      const answer = [
        ...events,
        text(2, "Preflight Fail: Vehicle is in safety configuration\t"),
        text(6, "Preflight Fail: y"),
      ];
      expect(await refusing(px4, DENIED, answer)).toMatch(
        /first; Preflight Fail: Vehicle is in safety configuration$/,
      );
    });

    test("is explained by what the vehicle said with its refusal when it does not run checks", async () => {
      expect(await refusing(px4, DENIED, report(0, [[SAFETY]]), false)).toMatch(new RegExp(`: ${DENIED}$`));
    });

    test("by ArduPilot without a reason is explained by the checks that it then runs", async () => {
      const answer = [text(2, "PreArm: Battery 1 low"), text(4, "Low voltage")];
      expect(await refusing({}, undefined, answer)).toMatch(/\): PreArm: Battery 1 low$/);
      expect(await refusing({}, "Arm: Battery 1 low", answer)).toMatch(/\): Arm: Battery 1 low$/);
    });

    test("is explained by texts that come one after the other", async () => {
      const { peer, link } = await open();
      peer.on(common.CommandLong, ({ command }) => {
        peer.send(ack(command, command === 400 ? 4 : 0));
        if (command !== 401) return;
        peer.send(text(2, "PreArm: Battery 1 low"));
        setTimeout(() => peer.send(text(2, "PreArm: Missing mission item")), 10);
      });
      await expect(link.preflightFailures()).resolves.toEqual([
        "PreArm: Battery 1 low",
        "PreArm: Missing mission item",
      ]);
    });
  });

  test("in a mode in which the vehicle sets off by itself takes force, and sends nothing without it", async () => {
    const state = { baseMode: 1, customMode: AUTO };
    const { peer, link } = await open({ state });
    peer.on(common.CommandLong, ({ command }) => {
      if (command === 400) state.baseMode = 129;
      peer.send(ack(command, 0));
    });
    await expect(link.arm()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/not sent.*AUTO.*force: true/),
    });
    expect(orders(peer)).toEqual([]);
    await expect(link.arm({ force: true })).resolves.toMatchObject({ mode: "AUTO" });
  });

  test("in such a mode takes force also when the vehicle has disarmed itself since its last heartbeat", async () => {
    const state = armed(AUTO);
    const { peer, link } = await open({ state });
    state.baseMode = 1;
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.arm()).rejects.toMatchObject({ code: "conflict" });
    expect(orders(peer)).toEqual([]);
  });

  test("of an armed vehicle in such a mode is sent without force", async () => {
    const { peer, link } = await open({ state: armed(AUTO) });
    peer.on(common.CommandLong, ({ command }) => peer.send(ack(command, 0)));
    await expect(link.arm()).resolves.toMatchObject({ mode: "AUTO" });
  });
});
