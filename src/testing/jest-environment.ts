import { TestEnvironment } from "jest-environment-node";
import { runCleanUps } from "./clean-up";

// A worker whose jest was interrupted would otherwise finish its file, with nobody to tell. A listener for
// "disconnect" would keep every worker from ending by itself, so the parent is looked at instead.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(1), 500).unref();

/** Node's environment, which at the end of a test file stops what the file asked for with `fresh…()`. */
export default class FleetEnvironment extends TestEnvironment {
  /** Called by jest-circus and awaited; `run_finish` comes after the file's last hook. */
  async handleTestEvent(event: { readonly name: string }): Promise<void> {
    if (event.name === "run_finish") await runCleanUps(this.global);
  }
}
