import { eventually } from "../../testing/until";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { enqueueHourly } from "./hourly";
import { cancelJob, listJobs } from "./jobs";

test("an hourly job is asked for again and again, as one that waits for a worker", async () => {
  const { deps } = await startTestGateway();
  enqueueHourly(deps, "prune-commands", 10);
  const waiting = async () => (await listJobs(deps.db)).filter(({ task }) => task === "prune-commands");
  for (let round = 0; round < 2; round++) {
    await eventually("it waits", async () => (await waiting()).length === 1);
    await cancelJob(deps.db, "prune-commands");
  }
});
