import type { Page } from "playwright-core";
import { saveSubscription } from "../../../features/billing";
import { eventually } from "../../../testing/until";
import { endExecution, type Flight, startExecution, startFlight } from "../../../testing/worlds/flights";
import { droneClient } from "../../../testing/worlds/uploads";
import { testLooks } from "../appearance";
import { consoleTests, openAs, shown, signIn } from "../console-world";
import { HOSTILE } from "./flight-records";

const at = consoleTests();

const rows = (page: Page) => page.locator("tbody tr").allInnerTexts();
const names = (page: Page) => page.locator("tbody th a").allInnerTexts();

async function opened(flight: Pick<Flight, "user">, path = "/executions"): Promise<Page> {
  const page = await openAs(at.world, at.window, flight.user, path);
  await shown(page, "Flights");
  return page;
}

/** So many flights that are over, each a minute long, before the others of the drone. */
async function insertFlights({ user, vehicle }: Flight, count: number): Promise<void> {
  const row = (n: number) => ({
    ...{ drone_id: vehicle.id, user_id: user.id, status: "completed", plan_state: "unread" },
    started_at: new Date(Date.UTC(2026, 0, 1, 10, n)),
    completed_at: new Date(Date.UTC(2026, 0, 1, 10, n + 1)),
  });
  await at.world.gateway.deps.db("executions").insert(Array.from({ length: count }, (_, n) => row(n)));
}

/** A drone with a flight that is over and one that is live, and another drone's that failed. */
async function someFlights(first = "Falcon", mission = "Survey"): Promise<Flight> {
  const { gateway } = at.world;
  const flight = await startFlight(gateway, first);
  await gateway.deps.db("executions").where({ id: flight.id }).update({ mission_name: mission });
  await endExecution(flight.drone, flight.id);
  const { id } = flight.user;
  await saveSubscription(gateway.deps.db, id, { status: "active", vehicle_count: 2 });
  const { body } = await flight.user.api.post("/drone", {
    type: "sitl",
    name: "Kite",
    vehicle_type: "copter",
  });
  const kite = droneClient(gateway.api, body.ip);
  await endExecution(kite, await startExecution(kite), "error");
  await startExecution(flight.drone);
  return flight;
}

test("the flights of all drones are listed with the newest first, and a running one is live until it ends", async () => {
  const flight = await someFlights(HOSTILE, HOSTILE);
  const page = await opened(flight);
  await page.getByText("3 flights, the newest first. Times are in UTC.").waitFor();
  expect(await names(page)).toEqual([HOSTILE, "Kite", HOSTILE]);
  expect(await page.locator("main img, main b").count()).toBe(0);
  const shownRows = await rows(page);
  expect(shownRows[0]).toMatch(/No mission\s+\w+ \d+, 20\d\d, .+\s+0:\d\d\s+Live$/);
  expect(shownRows[1]).toMatch(/^Kite\s+No mission\s+.+\s+0:\d\d\s+Ended with an error$/);
  expect(shownRows[2]).toMatch(/\s0:\d\d\s+Completed$/);
  expect(shownRows[2]?.split(HOSTILE)).toHaveLength(3);

  const current = (await flight.drone.get("/executions/current")).body.data;
  await endExecution(flight.drone, current.id);
  await eventually("no flight is live", async () => (await rows(page))[0]?.endsWith("Completed") === true);
});

test("the list shows one drone's flights, also after a reload of the page", async () => {
  const page = await opened(await someFlights());
  await page.getByLabel("Drone").selectOption({ label: "Kite" });
  await page.getByText("1 flight,").waitFor();
  expect(await names(page)).toEqual(["Kite"]);
  await page.reload();
  await page.getByText("1 flight,").waitFor();
  expect(await page.getByLabel("Drone").inputValue()).not.toBe("");
  expect(await names(page)).toEqual(["Kite"]);
  await page.getByLabel("Drone").selectOption({ label: "All drones" });
  await page.getByText("3 flights,").waitFor();
});

test("older flights are shown on request", async () => {
  const flight = await startFlight(at.world.gateway);
  await insertFlights(flight, 60);
  const page = await opened(flight);
  await page.getByText("50 of 61 flights,").waitFor();
  expect(await rows(page)).toHaveLength(50);
  await page.getByRole("button", { name: "Show older flights" }).click();
  await page.getByText(/^61 flights,/).waitFor();
  expect(await rows(page)).toHaveLength(61);
  expect(await page.getByRole("button", { name: "Show older flights" }).count()).toBe(0);
});

test("a user without flights, and one who asks for another's drone, are told so", async () => {
  const { gateway } = at.world;
  const user = await gateway.newUser();
  const page = await opened({ user });
  await page.getByText("There are no flights yet.").waitFor();
  const { vehicle } = await startFlight(gateway);
  await page.goto(`/executions?drone=${vehicle.id}`);
  await page.getByRole("alert").filter({ hasText: "This vehicle is not yours." }).waitFor();
});

testLooks(at, [
  [
    "flights",
    "/executions",
    async (page) => {
      await signIn(page, (await someFlights("Falcon of the survey team", "Dam, north face")).user);
      await page.getByText("3 flights,").waitFor();
    },
  ],
]);
