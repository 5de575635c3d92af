import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { saveSubscription } from "../../features/billing";
import { atEndOfFile } from "../../testing";
import { eventually, until } from "../../testing/until";
import { tapVehicle } from "../../testing/vehicle-tap";
import { fakeTunnel } from "../../testing/worlds/gateway-with-tunnel";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestSimulator } from "../../testing/worlds/simulator";
import type { TestUser } from "../../testing/worlds/start-gateway";
import { testLooks } from "./appearance";
import { consoleTests, consoleWorld, shown, signIn } from "./console-world";

const HOSTILE = `<img src=x onerror="document.title='run'">`;

const at = consoleTests(async () => {
  const [tunnel, simulator] = await Promise.all([fakeTunnel(), startTestSimulator([{ kind: "copter" }], 10)]);
  atEndOfFile(simulator.stop);
  const { vehicle } = simulator;
  const world = await consoleWorld({
    VPN_SERVICE_URL: tunnel.url,
    SIMULATOR_PORT: String(vehicle.port),
    SIMULATOR_COPTERS: "1",
  });
  return Object.assign(world, { tunnel, vehicle });
});

let user: TestUser;
beforeEach(async () => {
  user = await at.world.gateway.newUser();
});

const subscribe = (vehicle_count: number) =>
  saveSubscription(at.world.gateway.deps.db, user.id, { status: "active", vehicle_count });

async function openFleet(path = "/", window = at.window): Promise<Page> {
  const page = await window.newTab(path);
  await signIn(page, user);
  await shown(page, "Fleet");
  return page;
}

const row = (page: Page, name: string) => page.getByRole("option").filter({ hasText: name });
const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const inRow = (page: Page, name: string, text: string | RegExp) =>
  row(page, name).filter({ hasText: text }).waitFor();

/** A drone that nothing answers for. */
const deadDrone = async (name: string): Promise<number> => {
  const input = { type: "sitl", name, vehicle_type: "copter", port: 9, link_host: "127.0.0.1" };
  return (await user.api.post("/drone", input)).body.id;
};

test("a user without a drone adds a simulated one by one press, and is led to flying it", async () => {
  const page = await openFleet();
  await page.getByText("You have no drones yet.").waitFor();
  await button(page, "Add a simulated drone and fly it now").click();
  await page.waitForURL(/\/fly\/\d+$/);
  expect(at.world.vehicle.connected).toBe(true);
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await inRow(page, "Simulated copter", /100 %.*Disarmed · STABILIZE.*0\.0 m/);
  // The vehicle takes one client, and the gateway keeps a link for a minute.
  const [{ id }] = (await user.api.get("/drones")).body;
  await page.close();
  await user.api.delete(`/drone/action/connection?id=${id}`);
});

test("a first drone that does not answer is shown with the reason, and dialled again", async () => {
  const other = await at.world.gateway.newUser();
  const input = { type: "sitl", name: "The vehicle's only client", vehicle_type: "copter" };
  const { body } = await other.api.post("/drone", input);
  expect((await other.api.get(`/drone/action/connection?id=${body.id}`)).status).toBe(200);
  const page = await openFleet();
  await button(page, "Add a simulated drone and fly it now").click();
  await panel(page, "Simulated copter").getByRole("status").filter({ hasText: "vehicle" }).waitFor();
  await inRow(page, "Simulated copter", "No answer");
  await other.api.delete(`/drone/action/connection?id=${body.id}`);
  await panel(page, "Simulated copter").getByRole("button", { name: "Connect" }).click();
  await inRow(page, "Simulated copter", "Disarmed");
});

test("drones are shown as they are now, and narrowed by state and name", async () => {
  await subscribe(9);
  const flown = await simulatedDrone(user.api);
  await user.api.put(`/drone/${flown.id}`, { name: HOSTILE });
  const grounded = await simulatedDrone(user.api);
  await user.api.put(`/drone/${grounded.id}`, { name: "Heron 2" });
  await deadDrone("Heron 10");
  const page = await openFleet();
  const names = () => page.locator(".drone-name").allTextContents();
  await inRow(page, "Heron 2", /Disarmed · STABILIZE/);
  await inRow(page, HOSTILE, /Disarmed/);
  await inRow(page, "Heron 10", "No answer");
  expect(await names()).toEqual([HOSTILE, "Heron 2", "Heron 10"]);
  expect(await page.locator("main img, main script").count()).toBe(0);

  for (const [order, fields] of [
    ["guided", {}],
    ["arm", {}],
    ["takeoff", { altitude: 20 }],
  ] as const)
    expect(await user.api.post(`/drone/action/${order}`, { drone_id: flown.id, ...fields })).toMatchObject({
      status: 200,
    });
  await inRow(page, HOSTILE, /Flying · GUIDED.*(19|20)\.\d m/);
  await page.getByRole("button", { name: "Flying 1" }).click();
  expect(await names()).toEqual([HOSTILE]);
  await page.getByRole("button", { name: "Offline 1" }).click();
  expect(await names()).toEqual(["Heron 10"]);
  await page.getByRole("button", { name: "All 3" }).click();
  await page.getByRole("searchbox", { name: "Find by name" }).fill("heron");
  expect(await names()).toEqual(["Heron 2", "Heron 10"]);
  await page.reload();
  await inRow(page, "Heron 2", "Disarmed");
  expect(await names()).toEqual(["Heron 2", "Heron 10"]);
  await page.getByRole("searchbox", { name: "Find by name" }).fill("no such");
  await button(page, "Show all drones").click();
  expect(await names()).toHaveLength(3);
  expect(await page.title()).toBe("Fleet – Fleet Gateway");
});

test("a drone is selected by the keyboard in the list, by a press on the map, and flown from both", async () => {
  await subscribe(9);
  const { id } = await simulatedDrone(user.api);
  await user.api.put(`/drone/${id}`, { name: HOSTILE });
  await deadDrone("Albatross");
  const page = await openFleet();
  await inRow(page, HOSTILE, "Disarmed");
  const list = page.getByRole("listbox", { name: "Drones" });
  await list.press("End");
  await panel(page, "Albatross").waitFor();
  await list.press("ArrowUp");
  await panel(page, HOSTILE).waitFor();
  expect(await row(page, HOSTILE).getAttribute("aria-selected")).toBe("true");
  await panel(page, HOSTILE).getByText("47.39774°, 8.54559°").waitFor();
  await panel(page, HOSTILE).getByRole("button", { name: "Close" }).click();
  await page.getByText("Select a drone in the list or on the map.").waitFor();

  await button(page, "Show all").click();
  const canvas = page.locator(".fleet-map canvas");
  // The map moves to the only drone that has a position, which is in its middle then.
  await until(async () => {
    await canvas.click();
    return panel(page, HOSTILE).isVisible();
  });
  await list.press("Enter");
  await page.waitForURL(`**/fly/${id}`);
  await page.goBack();
  await panel(page, HOSTILE).getByRole("link", { name: "Fly" }).click();
  await page.waitForURL(`**/fly/${id}`);
});

test("a drone that falls silent looks old within two seconds, and a link lost in flight is told apart", async () => {
  const { vehicle } = await startTestSimulator([{ kind: "copter" }], 10);
  const link = await interruptibleLink(`tcp://127.0.0.1:${vehicle.port}`);
  const { port } = new URL(link.url);
  const input = { type: "sitl", vehicle_type: "copter", port: Number(port), link_host: "127.0.0.1" };
  const { body } = await user.api.post("/drone", { ...input, name: "Heron" });
  const page = await openFleet();
  await inRow(page, "Heron", "Disarmed");
  await user.api.post("/drone/action/arm", { drone_id: body.id });
  await inRow(page, "Heron", /Armed · STABILIZE/);
  expect(await row(page, "Heron").getAttribute("class")).not.toContain("old");
  const firstSaid = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const drone = document.querySelector('[role="option"]') as HTMLElement;
        const look = () => drone.classList.contains("old") && resolve(drone.textContent);
        new MutationObserver(look).observe(drone, { attributes: true });
      }),
  );
  link.stall();
  expect(await firstSaid).toMatch(/Armed, silent for [12] s/);
  link.cut();
  await inRow(page, "Heron", /Link lost \d+ s ago, armed/);
  await page.getByRole("button", { name: "Offline 1" }).waitFor();
  link.mend();
  await inRow(page, "Heron", /Armed · STABILIZE/);
  // The page keeps the link, also on the gateway that takes the place of this one.
  await at.world.restartGateway();
  await eventually("another gateway has dialled it", () => link.connections === 1);
  await inRow(page, "Heron", /Armed · STABILIZE/);
  expect(await row(page, "Heron").getAttribute("class")).not.toContain("old");
  // The browser itself says on its console that its socket was closed.
  at.window.faults.splice(0);
});

test("the drones of a large fleet are not dialled before somebody asks for it", async () => {
  await subscribe(20);
  const { id, vehicle } = await simulatedDrone(user.api);
  await user.api.put(`/drone/${id}`, { name: "Alive" });
  for (let count = 0; count < 8; count++) await deadDrone(`Dead ${count}`);
  const page = await openFleet();
  await inRow(page, "Alive", "Not heard yet");
  await inRow(page, "Dead 7", "Not heard yet");
  expect(vehicle.connected).toBe(false);
  await row(page, "Alive").click();
  await panel(page, "Alive").getByRole("button", { name: "Connect" }).click();
  await inRow(page, "Alive", "Disarmed");
  await row(page, "Dead 7").click();
  await panel(page, "Dead 7").getByRole("button", { name: "Connect" }).click();
  await panel(page, "Dead 7").getByText("Nothing answers at 127.0.0.1:9.").waitFor();
  await inRow(page, "Dead 7", "No answer");
  await button(page, "Connect 8 drones that have no link").click();
  await inRow(page, "Dead 0", "No answer");
});

test("a physical drone is refused without a subscription; then it is set up and seen coming online", async () => {
  const { gateway, tunnel } = at.world;
  const page = await openFleet();
  const add = async () => {
    await button(page, "Add a drone").click();
    await page.getByLabel("Physical").check();
    await page.getByRole("textbox", { name: "Name" }).fill(HOSTILE);
    await button(page, "Add the drone").click();
  };
  await add();
  await page.getByRole("alert").filter({ hasText: "subscription" }).waitFor();
  expect(await page.getByRole("link", { name: "To your subscription" }).getAttribute("href")).toBe(
    "/account",
  );
  await page.keyboard.press("Escape");
  await subscribe(1);
  tunnel.says.text = JSON.stringify({
    ip: "127.0.0.77",
    status: false,
    configured: true,
    latest_handshake: 0,
  });
  await add();

  const dialog = page.getByRole("dialog", { name: `Set up ${HOSTILE}` });
  const command = await dialog.getByRole("textbox", { name: "The command" }).inputValue();
  const [{ id }] = (await user.api.get("/drones")).body;
  const { activation_token } = await gateway.deps.db("drones").where({ id }).first("activation_token");
  expect(command).toBe(
    `curl -fsS ${gateway.url}/api/v1/drone/setup | sudo bash -s -- ${gateway.url} ${activation_token}`,
  );
  await dialog.getByText("Its computer is in the VPN: waiting…").waitFor();

  const { vehicle } = await startTestSimulator([{ kind: "copter" }], 10);
  const tap = await tapVehicle(vehicle, "127.0.0.77");
  await gateway.deps.db("vpn_addresses").insert({ ip: "127.0.0.77", range: "drones" });
  await gateway.deps.db("drones").where({ id }).update({ ip: "127.0.0.77", port: tap.port });
  tunnel.says.text = JSON.stringify({
    ip: "127.0.0.77",
    status: true,
    configured: true,
    latest_handshake: 1,
  });
  await dialog.getByText("Its computer is in the VPN: yes").waitFor();
  await dialog.getByText("Its autopilot answers: yes").waitFor();
  await dialog.getByRole("link", { name: "Fly" }).waitFor();
  await page.keyboard.press("Escape");
  await inRow(page, HOSTILE, "Disarmed");
  // No address of the VPN: other drones get theirs.
  await gateway.deps.db("drones").where({ id }).update({ ip: null });
  await gateway.deps.db("vpn_addresses").where({ ip: "127.0.0.77" }).delete();
  // The token is shown as long as the page is open, and not after a reload.
  await button(page, "Set up").click();
  expect(await dialog.getByRole("textbox", { name: "The command" }).inputValue()).toBe(command);
  await page.reload();
  await button(page, "Set up").click();
  expect(await dialog.getByRole("textbox", { name: "The command" }).inputValue()).toBe(
    `admin reissue-activation --drone ${id}`,
  );
});

test("a VPN config is read when it is asked for, as a file and a QR code, and is kept nowhere", async () => {
  await subscribe(1);
  const input = { type: "physical", name: "Heron", vehicle_type: "copter" };
  const { id } = (await user.api.post("/drone", input)).body;
  const page = await openFleet();
  await row(page, "Heron").click();
  await button(page, "VPN config").click();
  await button(page, "Show the config").click();
  await page.getByRole("alert").filter({ hasText: "has not published this config yet" }).waitFor();
  const config = "[Interface]\nPrivateKey = 6AkV4pBEpzcIgtHNTJDMwQYGNpsXbcWZ1VEzyL4PQ1Q=\n";
  await at.world.gateway.deps.vpnStore.write(`vpn/drones/${id}.conf`, config, "text/plain");
  await button(page, "Show the config").click();
  await page.getByRole("img", { name: "The config as a QR code" }).waitFor();
  expect(await page.getByRole("textbox", { name: "The config" }).inputValue()).toBe(config);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download the file" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`drone-${id}.conf`);
  expect(await text(await download.createReadStream())).toBe(config);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain("PrivateKey");
  await page.keyboard.press("Escape");
  await button(page, "VPN config").click();
  await button(page, "Show the config").waitFor();
  expect(await page.content()).not.toContain("PrivateKey");
});

test("a drone is renamed, given a mission and another port, and deleted; other tabs follow", async () => {
  const first = await deadDrone("Heron");
  const { body: mission } = await user.api.post("/mission", { name: HOSTILE });
  const page = await openFleet();
  const other = await at.window.newTab("/");
  await row(other, "Heron").waitFor();
  await row(page, "Heron").click();
  await button(page, "Settings").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Kestrel");
  await page.getByLabel("Assigned mission").selectOption(HOSTILE);
  await page.getByLabel("TCP port").fill("7");
  await button(page, "Save").click();
  await panel(page, "Kestrel").getByRole("link", { name: HOSTILE }).waitFor();
  expect((await user.api.get("/drones")).body).toMatchObject([
    { id: first, name: "Kestrel", mission_id: mission.id, port: 7, link_host: "127.0.0.1" },
  ]);

  await button(page, "Settings").click();
  await button(page, "Delete the drone…").click();
  await page.getByRole("heading", { name: "Delete Kestrel?" }).waitFor();
  // The keyboard begins at the button that does nothing.
  await page.keyboard.press("Enter");
  expect((await user.api.get("/drones")).body).toHaveLength(1);
  await button(page, "Settings").click();
  await button(page, "Delete the drone…").click();
  await button(page, "Delete the drone").click();
  await page.getByText("You have no drones yet.").waitFor();
  expect((await user.api.get("/drones")).body).toEqual([]);
  await other.getByText("You have no drones yet.").waitFor();
});

/** A user with a drone of each kind, for all looks. */
let shownUser: Promise<TestUser> | undefined;
async function userToLookAt(): Promise<TestUser> {
  await subscribe(9);
  await deadDrone("Albatross over the lake, with a name that is too long for its row");
  const flown = await simulatedDrone(user.api);
  await user.api.put(`/drone/${flown.id}`, { name: "Heron 2" });
  for (const order of ["guided", "arm"])
    await user.api.post(`/drone/action/${order}`, { drone_id: flown.id });
  await user.api.post("/drone/action/takeoff", { drone_id: flown.id, altitude: 20 });
  await user.api.post("/drone", { type: "physical", name: "Kestrel", vehicle_type: "rover" });
  return user;
}

testLooks(at, [
  [
    "fleet",
    "/",
    async (page) => {
      shownUser ??= userToLookAt();
      await signIn(page, await shownUser);
      await inRow(page, "Heron 2", "Flying · GUIDED");
      await inRow(page, "Albatross", "No answer");
      await inRow(page, "Kestrel", "No answer");
      await row(page, "Heron 2").click();
      await panel(page, "Heron 2").waitFor();
      if ((page.viewportSize()?.width ?? 0) > 768) await button(page, "Show all").waitFor();
    },
  ],
  [
    "fleet-first",
    "/",
    async (page) => {
      await signIn(page, user);
      await page.getByText("You have no drones yet.").waitFor();
    },
  ],
  [
    "fleet-set-up",
    "/",
    async (page) => {
      await subscribe(1);
      await signIn(page, user);
      await button(page, "Add a drone").click();
      await page.getByLabel("Physical").check();
      await page.getByRole("textbox", { name: "Name" }).fill("Kestrel");
      await button(page, "Add the drone").click();
      await page.getByText("Its autopilot answers: waiting…").waitFor();
    },
  ],
]);
