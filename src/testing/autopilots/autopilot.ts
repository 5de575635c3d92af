import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atEndOfFile } from "../clean-up";

/** The simulators of real autopilots; the arguments of their `run`. */
const VEHICLES = {
  copter: { program: "ardupilot/arducopter", args: ["copter"], port: 15760, witness: 2 },
  rover: { program: "ardupilot/ardurover", args: ["rover"], port: 15770, witness: 2 },
  "px4-quad": { program: "px4-1.18", args: ["px4-quad"], port: 15790, witness: 1 },
  "px4-rover": { program: "px4-1.18", args: ["px4-rover"], port: 15790, witness: 1 },
  "px4-1.16-quad": { program: "px4-1.16", args: ["px4-quad", "--px4", "1.16"], port: 15790, witness: 1 },
} as const;

export type AutopilotName = keyof typeof VEHICLES;

export const isRover = (name: AutopilotName): boolean => name.endsWith("rover");
export const isPx4 = (name: AutopilotName): boolean => name.startsWith("px4");

export const vehicleOf = (name: AutopilotName) =>
  ({ autopilot: isPx4(name) ? "px4" : "ardupilot", kind: isRover(name) ? "rover" : "copter" }) as const;

/** Set by `npm run test:autopilots`. */
const folder = process.env.AUTOPILOTS;

/** `VEHICLES=copter,px4-quad` flies these alone. */
const chosen = process.env.VEHICLES?.split(",") ?? Object.keys(VEHICLES);
for (const name of chosen) {
  if (!(name in VEHICLES))
    throw new Error(`VEHICLES names ${name}, which is not one of ${Object.keys(VEHICLES)}.`);
  if (process.env.VEHICLES && !isThere(name as AutopilotName))
    throw new Error(
      `VEHICLES names ${name}, and ${folder} has no ${VEHICLES[name as AutopilotName].program}.`,
    );
}

/** The chosen ones whose simulators are there. */
export const autopilots = (Object.keys(VEHICLES) as AutopilotName[]).filter(
  (name) => chosen.includes(name) && isThere(name),
);

function isThere(name: AutopilotName): boolean {
  return folder !== undefined && existsSync(join(folder, VEHICLES[name].program));
}

/**
 * A simulator of a real autopilot, in a network of its own; it ends with the test file. `port` is for the program under
 * test, `witnessPort` for a second ground station, both on this network's loopback.
 */
export class Autopilot {
  private constructor(
    readonly name: AutopilotName,
    readonly port: number,
    /** Parameters and logs: `logs/*.BIN` of ArduPilot, `log/DATE/*.ulg` of PX4. */
    readonly state: string,
    private readonly child: ChildProcess,
    /** Ends the simulator and removes its files. */
    readonly stop: () => Promise<void>,
  ) {}

  get witnessPort(): number {
    return this.port + VEHICLES[this.name].witness;
  }

  static async start(name: AutopilotName, { speed = 1 } = {}): Promise<Autopilot> {
    if (folder === undefined) throw new Error("Run these tests by `npm run test:autopilots`.");
    const { args, port: first } = VEHICLES[name];
    // Two test files fly at a time. A PX4's number on the machine follows from the hundreds of its port.
    const port = first + 100 * (Number(process.env.JEST_WORKER_ID ?? 1) - 1);
    const state = mkdtempSync(join(tmpdir(), `${name}-`));
    const options = ["--port", `${port}`, "--speed", `${speed}`, "--state", state];
    const child = spawn(join(folder, "run"), [...args, ...options], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const stop = async () => {
      child.kill();
      await exited;
      rmSync(state, { recursive: true, force: true });
    };
    atEndOfFile(stop);
    const ready = once(createInterface(child.stdout), "line");
    const [line] = await Promise.race([ready, exited.then(([code]) => [`ended with ${code}`])]);
    if (!String(line).startsWith("ready")) throw new Error(`The simulator of ${name} ${line}.`);
    return new Autopilot(name, port, state, child, stop);
  }

  /** As a vehicle that loses its power; `restart` brings it back with the same parameters. */
  kill(): void {
    this.tell("kill");
  }

  restart(): void {
    this.tell("start");
  }

  stall(on: boolean): void {
    this.tell(`stall ${on ? "on" : "off"}`);
  }

  /** Milliseconds each way. */
  delay(ms: number): void {
    this.tell(`delay ${ms}`);
  }

  /** Per cent of the frames, each way. */
  loss(percent: number): void {
    this.tell(`loss ${percent}`);
  }

  private tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }
}
