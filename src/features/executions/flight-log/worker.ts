import { open } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { LogAnalysis, LogWindow } from "./analysis";
import type { FromThread, ToThread } from "./thread";

/** The thread that `thread.ts` starts. It reads one log after another. */
let analysis = new LogAnalysis("");
const say = (message: FromThread) => parentPort?.postMessage(message);

/** While one window is read, the other is being filled. */
async function readFile(path: string): Promise<void> {
  const file = await open(path);
  try {
    let [window, next] = [new LogWindow(), new LogWindow()];
    let filling = file.read(window.room);
    for (;;) {
      const { bytesRead } = await filling;
      if (bytesRead === 0) break;
      filling = file.read(next.room);
      if (!analysis.take(window, bytesRead)) break;
      [window, next] = [next, window];
    }
    await filling;
  } finally {
    await file.close();
  }
}

async function hear(message: ToThread): Promise<void> {
  if ("name" in message) {
    analysis = new LogAnalysis(message.name);
    if (message.path === undefined) return;
    await readFile(message.path);
  } else if ("chunk" in message) {
    const more = analysis.push(message.chunk);
    say({ done: message.chunk.length, more });
    return;
  }
  say({ result: analysis.end() });
}

parentPort?.on("message", (message: ToThread) => {
  hear(message).catch((error) => say({ fault: error instanceof Error ? error.message : String(error) }));
});
