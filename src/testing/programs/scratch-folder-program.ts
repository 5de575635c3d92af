import { openScratchFolder } from "../../platform/jobs/scratch-folder";

/** Opens a scratch folder of the kind in its argument, prints the path, and runs until it is killed. */
async function main(kind: string): Promise<void> {
  console.log((await openScratchFolder(kind)).path);
  setInterval(() => {}, 60_000);
}

void main(process.argv[2] as string);
