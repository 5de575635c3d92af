import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { PlanItem } from "../../simvehicle/missions/plan-item";
import { type CommandParams, paramFields } from "../../vehicle/mavlink/commands/commands";
import { build, decode, FrameWriter } from "../../vehicle/mavlink/wire/codec";
import { FrameReader } from "../../vehicle/mavlink/wire/frame-reader";
import { common, type MavLinkData, type MavLinkDataConstructor } from "../../vehicle/mavlink/wire/messages";

const TIMEOUT_MS = 8000;

/** A minimal ground station for tests: it keeps every received message, and waits for messages. */
export class GroundStation {
  readonly received: MavLinkData[] = [];
  closed = false;
  private readonly writer: FrameWriter;
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly socket: Socket,
    systemId: number,
  ) {
    this.writer = new FrameWriter(systemId, 190);
    const reader = new FrameReader((frame) => {
      const message = decode(frame);
      if (message) this.received.push(message);
    });
    socket.on("data", (chunk) => {
      reader.push(chunk);
      for (const look of this.waiting) look();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.closed = true;
      for (const look of this.waiting) look();
    });
  }

  static async connect(port: number, systemId = 255): Promise<GroundStation> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await once(socket, "connect");
    return new GroundStation(socket, systemId);
  }

  send<T extends MavLinkData>(message: MavLinkDataConstructor<T>, fields: Partial<T>): void {
    this.socket.write(this.writer.encode(build(message, fields)));
  }

  /** Bytes that need not be MAVLink. */
  sendBytes(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  all<T extends MavLinkData>(message: MavLinkDataConstructor<T>): T[] {
    return this.received.filter((each): each is T => each instanceof message);
  }

  get texts(): string[] {
    return this.all(common.StatusText).map(({ text }) => text);
  }

  /** The first such message heard after `since` (an index into `heard`; from now on by default). */
  async next<T extends MavLinkData>(
    message: MavLinkDataConstructor<T>,
    fits: (candidate: T) => boolean = () => true,
    since = this.received.length,
  ): Promise<T> {
    const found = (): T | undefined =>
      this.received.slice(since).find((each): each is T => each instanceof message && fits(each as T));
    await this.until(() => found() !== undefined, message.MSG_NAME);
    return found() as T;
  }

  /** Wait until something holds; looked at whenever bytes come. */
  async until(holds: () => boolean, what: string): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
      };
      const fail = (): void => {
        done();
        reject(new Error(`Waited in vain for ${what}; texts: ${this.texts.join(" | ")}`));
      };
      const timer = setTimeout(fail, TIMEOUT_MS);
      const look = (): void => {
        if (holds()) {
          done();
          resolve();
        } else if (this.closed) fail();
      };
      this.waiting.add(look);
    });
  }

  /** COMMAND_LONG; resolves with the MAV_RESULT. */
  async command(command: common.MavCmd, ...params: CommandParams): Promise<number> {
    const since = this.received.length;
    const fields = { targetSystem: 1, targetComponent: 1, command, ...paramFields(params) };
    this.send(common.CommandLong, fields);
    return (await this.next(common.CommandAck, (ack) => ack.command === command, since)).result;
  }

  async setMode(customMode: number): Promise<number> {
    return this.command(176, 1, customMode);
  }

  /** Ask for one message at so many hertz. */
  async stream(id: number, hertz: number): Promise<number> {
    return this.command(511, id, 1e6 / hertz);
  }

  async param(name: string, value: number, type = common.MavParamType.REAL32): Promise<common.ParamValue> {
    const since = this.received.length;
    this.send(common.ParamSet, {
      targetSystem: 1,
      targetComponent: 1,
      paramId: name,
      paramValue: value,
      paramType: type,
    });
    return this.next(common.ParamValue, ({ paramId }) => paramId === name, since);
  }

  /** Uploads a plan, item by item on request, and resolves with the MAV_MISSION_RESULT. */
  async upload(
    items: readonly PlanItem[],
    missionType = common.MavMissionType.MISSION,
  ): Promise<common.MavMissionResult> {
    let since = this.received.length;
    this.send(common.MissionCount, { targetSystem: 1, targetComponent: 1, count: items.length, missionType });
    for (;;) {
      await this.until(() => this.protocolAfter(since) !== undefined, "a mission request or acknowledgement");
      const at = this.protocolAfter(since)!;
      const message = this.received[at];
      since = at + 1;
      if (message instanceof common.MissionAck) return message.type;
      const { seq } = message as common.MissionRequest;
      this.sendItem(items[seq]!, seq, missionType);
    }
  }

  sendItem(item: PlanItem, seq: number, missionType = common.MavMissionType.MISSION): void {
    this.send(common.MissionItemInt, {
      ...item,
      command: item.command as common.MavCmd,
      frame: item.frame as common.MavFrame,
      targetSystem: 1,
      targetComponent: 1,
      seq,
      missionType,
    });
  }

  async download(missionType = common.MavMissionType.MISSION): Promise<common.MissionItemInt[]> {
    const since = this.received.length;
    this.send(common.MissionRequestList, { targetSystem: 1, targetComponent: 1, missionType });
    const { count } = await this.next(common.MissionCount, () => true, since);
    const items: common.MissionItemInt[] = [];
    for (let seq = 0; seq < count; seq++) {
      const before = this.received.length;
      this.send(common.MissionRequestInt, { targetSystem: 1, targetComponent: 1, seq, missionType });
      items.push(await this.next(common.MissionItemInt, (item) => item.seq === seq, before));
    }
    return items;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    const gone = once(this.socket, "close");
    this.socket.destroy();
    await gone;
  }

  private protocolAfter(since: number): number | undefined {
    const at = this.received.findIndex(
      (each, index) =>
        index >= since &&
        (each instanceof common.MissionAck ||
          each instanceof common.MissionRequest ||
          each instanceof common.MissionRequestInt),
    );
    return at < 0 ? undefined : at;
  }
}

/** A plan item with the named fields set. */
export const planItem = (fields: Partial<PlanItem>): PlanItem => ({
  command: 16,
  frame: 3,
  autocontinue: 1,
  param1: 0,
  param2: 0,
  param3: 0,
  param4: 0,
  x: 0,
  y: 0,
  z: 0,
  ...fields,
});

/** A parameter's integer as PX4 sends and takes it: its bytes in the field of a float. */
export function px4Integer(value: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.readFloatLE();
}
