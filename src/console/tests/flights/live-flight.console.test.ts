import type { Page } from "playwright-core";
import { eventually } from "../../../testing/until";
import { endExecution, startExecution } from "../../../testing/worlds/flights";
import { simulatedDrone } from "../../../testing/worlds/simulated-drone";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { droneClient, upload } from "../../../testing/worlds/uploads";
import { consoleTests, consoleWorld, openAs, shown } from "../console-world";
import { copterLog } from "./flight-records";

const at = consoleTests(() => consoleWorld({ WORKER_IN_PROCESS: "true" }));

/** A user with a drone in the air, of which an execution is in progress. */
async function inTheAir() {
  const { gateway } = at.world;
  const user = await gateway.newUser();
  const drone = await simulatedDrone(user.api);
  const agent = droneClient(gateway.api, drone.ip);
  const id = await startExecution(agent);
  const order = async (name: string, fields = {}) => {
    const { status, body } = await user.api.post(`/drone/action/${name}`, { drone_id: drone.id, ...fields });
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
  };
  await order("guided");
  await order("arm");
  await order("takeoff", { altitude: 15 });
  return { user, drone, agent, id, order };
}

async function opened(user: TestUser, id: number): Promise<Page> {
  const page = await openAs(at.world, at.window, user, `/executions/${id}`);
  await shown(page, `Flight ${id}`);
  return page;
}

/** What the page shows of a measurement now. */
const value = (page: Page, name: string) =>
  page.locator(".plot", { hasText: name }).locator("output").textContent();

test("a flight is shown live while it is flown, then with its log, without a reload", async () => {
  const { user, drone, agent, id, order } = await inTheAir();
  const page = await opened(user, id);
  await page.getByText("The flight is live.").waitFor();
  await eventually("the height is shown", async () =>
    /^1[45]\.\d m$/.test((await value(page, "Altitude above home")) ?? ""),
  );
  const rows = async () => Number(await page.getByRole("slider").getAttribute("max"));
  const before = await rows();
  await eventually("the track has grown", async () => (await rows()) > before + 2);
  await page.locator(".mode-bar span", { hasText: "GUIDED" }).waitFor();
  expect(await page.getByRole("link", { name: "Fly this drone" }).getAttribute("href")).toBe(
    `/fly/${drone.id}`,
  );

  await order("land");
  await eventually("it has landed", () => !drone.vehicle.state.armed);
  await endExecution(agent, id);
  await page.getByText("This is what was seen live; the log is on its way.").waitFor();
  const content = copterLog();
  const { asset_id } = await upload(
    agent,
    { file_name: "a.BIN", asset_type: "logs", execution_id: id },
    content,
  );
  await agent.post(`/executions/${id}/log`, { asset_id });
  await page.getByText("Figures and track are of the drone's own log, a.BIN.").waitFor();
  await page.locator(".moment strong", { hasText: "1:07" }).waitFor();
  expect(await page.getByText("The flight is live.").count()).toBe(0);
});

test("a vehicle that is not heard any more looks so, and what was seen stays", async () => {
  const { user, drone, id } = await inTheAir();
  const page = await opened(user, id);
  await eventually("the height is shown", async () => (await page.locator(".plot output").count()) > 2);
  expect(await page.locator(".over-time.stale").count()).toBe(0);
  await drone.stop();
  await page.locator(".over-time.stale").waitFor();
  await page.locator(".live .silent", { hasText: /Heard \d+ s ago\./ }).waitFor();
  expect(await value(page, "Altitude above home")).toMatch(/^\d+\.\d m$/);
});
