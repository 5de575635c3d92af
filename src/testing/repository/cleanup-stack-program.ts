import { startRedis } from "../../laptop/servers/redis";
import { CleanupStack } from "./cleanup-stack";

/** Starts a Redis in the folder that it is given, tells its process id, and waits to be interrupted. */
async function main(folder: string): Promise<void> {
  const stops = new CleanupStack();
  stops.add(() => console.log("folder"));
  stops.add(() => Promise.reject(new Error("this one cannot be stopped")));
  console.log("starting");
  const { url } = await stops.keep(startRedis({ folder, durable: false }));
  console.log(url);
  setInterval(() => {}, 1_000);
}

void main(process.argv[2] as string);
