import { openScratchFolder } from "../../platform/jobs/scratch-folder";

/** Opens a folder of the kind that it is told, tells its path, and stays until it is killed. */
async function main(kind: string): Promise<void> {
  console.log((await openScratchFolder(kind)).path);
  setInterval(() => {}, 60_000);
}

void main(process.argv[2] as string);
