import { renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Environment } from "../../platform/config";
import { Lifecycle, stopOnSignals } from "../../platform/process/lifecycle";
import { createLogger } from "../../platform/process/log";
import { defaultStateFolder, nothingReady, type Ready, readyFile } from "../ready";
import type { Component, ComponentContext, RunningComponent } from "./component";
import { stages } from "./components";
import { loadSecrets } from "./secrets";
import { lockStateFolder, wipeStateFolder } from "./state-folder";
import { readyTable } from "./table";

/** Limit of the orderly stop of all components together; the rest is then killed. */
const stopLimitMs = 30_000;

/** `npm start [-- --reset] [-- --state FOLDER]`. Rejects with the reason when the stack cannot start. */
export async function runStack(args: string[], environment: Environment): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      reset: { type: "boolean", default: false },
      state: { type: "string", default: defaultStateFolder },
    },
  });
  const folder = resolve(values.state);
  const log = createLogger("stack", "warn");
  const lifecycle = new Lifecycle(log, stopLimitMs);
  lifecycle.onClose("state folder", lockStateFolder(folder));
  stopOnSignals(lifecycle, log);
  process.once("SIGINT", () => print("Stopping everything; Ctrl-C again ends it at once."));
  process.on("SIGHUP", () => process.emit("SIGTERM"));
  process.on("exit", () => {
    for (const cut of cuts) cut();
  });
  rmSync(readyFile(folder), { force: true });
  try {
    if (values.reset) await wipeStateFolder(folder);
    const starting = startStages(stages, folder, environment, lifecycle);
    // A stop in the middle lets the component that is starting finish, so that there is something to stop.
    lifecycle.onDrain("start", () => starting.catch(() => undefined));
    const ready = await starting;
    if (lifecycle.state !== "starting") return;
    lifecycle.onClose("ready.json", () => rmSync(readyFile(folder), { force: true }));
    writeReady(folder, ready);
    lifecycle.ready();
    process.stdout.write(readyTable(ready, folder));
  } catch (error) {
    await lifecycle.stop("the start failed");
    throw error;
  }
}

async function startStages(
  list: readonly (readonly Component[])[],
  folder: string,
  environment: Environment,
  lifecycle: Lifecycle,
): Promise<Ready> {
  const secrets = loadSecrets(folder);
  let env = environment;
  let ready = nothingReady;
  for (const stage of list) {
    if (lifecycle.state !== "starting") return ready;
    for (const running of await startStage(stage, { env, ready, folder, secrets, print }, lifecycle)) {
      env = { ...env, ...running.env };
      ready = { ...ready, ...running.ready };
    }
  }
  return ready;
}

/** Every component that started is watched, also when another of its stage failed, so that the stop finds it. */
async function startStage(
  stage: readonly Component[],
  context: ComponentContext,
  lifecycle: Lifecycle,
): Promise<RunningComponent[]> {
  const failures: string[] = [];
  const started = stage.map(async (component) => {
    try {
      const running = await component.start(context);
      watch(component, running, lifecycle);
      return [running];
    } catch (error) {
      failures.push(`The stack cannot start ${component.name}: ${(error as Error).message}`);
      return [];
    }
  });
  const running = (await Promise.all(started)).flat();
  if (failures.length > 0) throw new Error(failures.join("\n"));
  return running;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Components to kill when this process exits before it has stopped them. */
const cuts = new Set<() => void>();

/** Stops the component with the stack, kills it when this process exits, and stops the stack when the component ends. */
function watch(component: Component, running: RunningComponent, lifecycle: Lifecycle): void {
  const { stop, cut } = running;
  if (cut) cuts.add(cut);
  lifecycle.onClose(component.name, async () => {
    await stop?.();
    if (cut) cuts.delete(cut);
  });
  void running.ended?.then(async (reason) => {
    if (lifecycle.state === "draining" || lifecycle.state === "stopped") return;
    process.stderr.write(`${reason}\nWithout ${component.name} the stack cannot go on; it stops.\n`);
    await lifecycle.stop(`${component.name} ended`);
    process.exit(1);
  });
}

/** Renamed into place, so that no reader gets half of the file. It holds passwords. */
function writeReady(folder: string, ready: Ready): void {
  const file = readyFile(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
