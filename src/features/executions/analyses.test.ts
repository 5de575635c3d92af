import { until } from "../../testing/until";
import { endExecution, startFlight } from "../../testing/worlds/flights";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";

test("one analysis of a user runs at a time, four wait, and more are refused", async () => {
  const gateway = await startTestGateway();
  const { drone, user, id } = await startFlight(gateway);
  await upload(drone, { file_name: "1.bin", asset_type: "logs", execution_id: id }, "no log at all");
  await endExecution(drone, id);
  const { store } = gateway.deps;
  const read = store.read.bind(store);
  let [running, most] = [0, 0];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  jest.spyOn(store, "read").mockImplementation(async (...given) => {
    running += 1;
    most = Math.max(most, running);
    await released;
    running -= 1;
    return read(...given);
  });
  const statuses: number[] = [];
  const replies = Array.from({ length: 8 }, async () => {
    statuses.push((await user.api.post(`/executions/${id}/analyze-log`)).status);
  });
  await until(() => statuses.length === 3);
  release();
  await Promise.all(replies);
  expect(statuses).toEqual([429, 429, 429, 400, 400, 400, 400, 400]);
  expect(most).toBe(1);
});
