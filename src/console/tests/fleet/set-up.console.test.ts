import { text } from "node:stream/consumers";
import { atEndOfFile } from "../../../testing";
import { tapVehicle } from "../../../testing/vehicle-tap";
import { fakeTunnel } from "../../../testing/worlds/gateway-with-tunnel";
import { startTestSimulator } from "../../../testing/worlds/simulator";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { testLooks } from "../appearance";
import { consoleTests, consoleWorld, signIn } from "../console-world";
import { button, deadDrone, HOSTILE, inRow, openFleet, panel, row, subscribe } from "./fleet-page";

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

test("a user without a drone adds a simulated one by one press, and is led to flying it", async () => {
  const page = await openFleet(at.window, user);
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
  const page = await openFleet(at.window, user);
  await button(page, "Add a simulated drone and fly it now").click();
  await panel(page, "Simulated copter").getByRole("status").filter({ hasText: "vehicle" }).waitFor();
  await inRow(page, "Simulated copter", "No answer");
  const again = page.waitForResponse((response) => response.url().includes("/drone/action/connection"));
  await panel(page, "Simulated copter").getByRole("button", { name: "Connect" }).click();
  expect((await again).ok()).toBe(false);
  await other.api.delete(`/drone/action/connection?id=${body.id}`);
  await inRow(page, "Simulated copter", "Disarmed");
});

test("a physical drone is refused without a subscription; then it is set up and seen coming online", async () => {
  const { gateway, tunnel } = at.world;
  const page = await openFleet(at.window, user);
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
  await subscribe(at.world, user, 1);
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

  const { vehicle, stop } = await startTestSimulator([{ kind: "copter" }], 10);
  atEndOfFile(stop);
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
  // Not when the tunnel is next asked about.
  await panel(page, HOSTILE).getByText("in the VPN", { exact: true }).waitFor({ timeout: 1_000 });
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
  await subscribe(at.world, user, 1);
  const input = { type: "physical", name: "Heron", vehicle_type: "copter" };
  const { id } = (await user.api.post("/drone", input)).body;
  const page = await openFleet(at.window, user);
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
  const first = await deadDrone(user, "Heron");
  const { body: mission } = await user.api.post("/mission", { name: HOSTILE });
  const page = await openFleet(at.window, user);
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

testLooks(at, [
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
      await subscribe(at.world, user, 1);
      await signIn(page, user);
      await button(page, "Add a drone").click();
      await page.getByLabel("Physical").check();
      await page.getByRole("textbox", { name: "Name" }).fill("Kestrel");
      await button(page, "Add the drone").click();
      await page.getByText("Its autopilot answers: waiting…").waitFor();
    },
  ],
]);
