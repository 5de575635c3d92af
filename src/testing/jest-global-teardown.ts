import { clearRunFolderNow, runFolder } from "./run-folder";

export default async function globalTeardown(): Promise<void> {
  clearRunFolderNow(runFolder());
}
