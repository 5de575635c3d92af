import { saveSubscription } from "../../../features/billing";
import {
  calendarTests,
  closed,
  day,
  dialog,
  flights,
  listed,
  MARKUP,
  panel,
  planner,
  press,
  ZURICH,
} from "./calendar-world";

const { at, windows, calendarOf } = calendarTests();

test("a flight is planned in local time, changed and deleted", async () => {
  const { user, ids } = await planner(at.world);
  const page = await calendarOf(user);
  await page.getByText("Times are local: Europe/Zurich (GMT+2).").waitFor();
  await day(page, "05-08").click();
  await panel(page).getByText("No flights are planned on this day.").waitFor();
  await panel(page).getByRole("button", { name: "Plan a flight" }).click();
  expect(await dialog(page).getByLabel("Title").inputValue()).toBe("North field");
  await dialog(page).getByLabel("Title").fill("Survey");
  await dialog(page).getByLabel("Date and time in Europe/Zurich (GMT+2)").fill("2030-05-09T10:00");
  await dialog(page).getByLabel("Notes").fill("Call the owner");
  await press(page, "Save");
  await closed(page);
  await flights(page)
    .filter({ hasText: /10:00\s*Survey.*Planned.*Falcon/s })
    .waitFor();
  const [stored] = await listed(user);
  const planned = { ...ids, scheduled_time: "2030-05-09T08:00:00.000Z", description: "Call the owner" };
  expect(stored).toMatchObject({ ...planned, title: "Survey", recurrence_rule: null });

  await flights(page).getByRole("button").click();
  await press(page, "Edit");
  await dialog(page).getByLabel("Date and time").fill("2030-05-10T07:15");
  await press(page, "Save");
  await flights(page).filter({ hasText: "07:15" }).waitFor();
  expect(await listed(user)).toMatchObject([{ ...planned, scheduled_time: "2030-05-10T05:15:00.000Z" }]);

  await flights(page).getByRole("button").click();
  await press(page, "Delete");
  await dialog(page).getByRole("button", { name: "Cancel" }).and(page.locator(":focus")).waitFor();
  await press(page, "Delete");
  await panel(page).getByText("No flights are planned on this day.").waitFor();
  expect(await listed(user)).toEqual([]);
});

test("a series keeps its local time when clocks change, and elsewhere says whose time it keeps", async () => {
  const { user } = await planner(at.world);
  const page = await calendarOf(user, ZURICH, "?day=2030-10-25");
  await panel(page).getByRole("button", { name: "Plan a flight" }).click();
  await dialog(page).getByLabel("Date and time").fill("2030-10-27T02:30");
  await dialog(page).getByText("The clocks there show this time twice").waitFor();
  await dialog(page).getByLabel("Date and time").fill("2030-03-31T02:30");
  await dialog(page).getByText("The clocks there skip this time: it will be 03:30.").waitFor();
  await dialog(page).getByLabel("Date and time").fill("2030-10-25T10:00");
  await dialog(page).getByLabel("Repeats").selectOption("Weekly");
  await dialog(page).getByRole("button", { name: "Fr", exact: true }).click();
  await dialog(page).getByRole("button", { name: "Mo", exact: true }).click();
  await dialog(page).getByLabel("Ends").selectOption("On a day");
  await dialog(page).getByLabel("Last day").fill("2030-11-01");
  const rule =
    "DTSTART;TZID=Europe/Zurich:20301025T100000\nRRULE:FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20301101T225959Z";
  expect(await dialog(page).getByRole("status").filter({ hasText: "RRULE" }).textContent()).toBe(rule);
  await press(page, "Save");
  await closed(page);
  await page.locator("td .chip").nth(2).waitFor();
  expect(await page.locator("td .chip-time").allTextContents()).toEqual(["10:00", "10:00", "10:00"]);
  const series = await listed(user, "2030-10-01", "2030-12-01");
  expect(series.map(({ scheduled_time }: { scheduled_time: string }) => scheduled_time)).toEqual([
    "2030-10-25T08:00:00.000Z",
    "2030-10-28T09:00:00.000Z",
    "2030-11-01T09:00:00.000Z",
  ]);

  const elsewhere = await calendarOf(
    user,
    { timezoneId: "America/New_York", locale: "en-GB" },
    "?day=2030-10-28",
  );
  await flights(elsewhere).filter({ hasText: "05:00" }).waitFor();
  await flights(elsewhere).getByRole("button").click();
  await dialog(elsewhere)
    .getByText("28 Oct 2030, 10:00, Europe/Zurich (GMT+1) where the series is")
    .waitFor();
  await dialog(elsewhere).getByText("every week on Mon, Fri, until 1 Nov 2030").waitFor();
  await press(elsewhere, "Edit the series");
  const start = dialog(elsewhere).getByLabel("First flight, in Europe/Zurich (GMT+2)");
  expect(await start.inputValue()).toBe("2030-10-25T10:00");
  await dialog(elsewhere).getByLabel("Whose local time").selectOption("America/New_York");
  await dialog(elsewhere).getByText("DTSTART;TZID=America/New_York:20301025T040000").waitFor();
});

test("states are seen and set: of one flight of a series, and of a single one", async () => {
  const { user, store } = await planner(at.world);
  const { id } = await store("Patrol", "2030-05-05T08:00:00Z", { recurrence_rule: "FREQ=DAILY;COUNT=4" });
  await store("Roof", "2030-05-07T12:00:00Z");
  const page = await calendarOf(user, { ...ZURICH, timezoneId: "UTC" }, "?day=2030-05-05");
  await flights(page)
    .filter({ hasText: /Patrol.*Missed/s })
    .waitFor();
  await flights(page).getByRole("button").click();
  await dialog(page).getByText("An hour after its time nobody has said that it was flown.").waitFor();
  await press(page, "Done");
  await dialog(page).getByRole("button", { name: "Done", pressed: true }).waitFor();
  await press(page, "Close");
  await day(page, "05-07").click({ position: { x: 5, y: 5 } });
  await flights(page).filter({ hasText: "Patrol" }).getByRole("button").click();
  await press(page, "Cancelled");
  await dialog(page).getByRole("button", { name: "Cancelled", pressed: true }).waitFor();
  await press(page, "Close");
  await flights(page).filter({ hasText: "Roof" }).getByRole("button").click();
  await press(page, "Failed");
  await dialog(page).getByRole("button", { name: "Failed", pressed: true }).waitFor();
  await press(page, "Close");
  const seen = (await flights(page).allInnerTexts()).map((one) => one.replace(/\s+/g, " "));
  expect(seen).toEqual(["08:00 Patrol Cancelled Falcon · series", "12:00 Roof Failed Falcon"]);
  const states = async () =>
    (await listed(user)).map(({ title, status }: { title: string; status: string }) => `${title} ${status}`);
  expect(await states()).toEqual([
    ...["Patrol completed", "Patrol scheduled", "Patrol cancelled", "Roof failed", "Patrol scheduled"],
  ]);
  await flights(page).filter({ hasText: "Patrol" }).getByRole("button").click();
  await press(page, "Planned");
  await flights(page)
    .filter({ hasText: /Patrol.*Planned/s })
    .waitFor();
  expect((await states())[2]).toBe("Patrol scheduled");

  await press(page, "Delete the series");
  await press(page, "Delete the series");
  await flights(page).filter({ hasText: "Patrol" }).waitFor({ state: "detached" });
  expect((await user.api.get(`/calendar/events/${id}`)).status).toBe(404);
});

test("the record of a flight is linked to it, which is done then", async () => {
  const { user, store, ids } = await planner(at.world);
  await store("Patrol", "2030-05-05T08:00:00Z", { recurrence_rule: "FREQ=DAILY;COUNT=4" });
  const started_at = "2030-05-05T08:03:00Z";
  const [{ id }] = await at.world.gateway.deps
    .db("executions")
    .insert({
      ...{ drone_id: ids.drone_id, user_id: user.id, mission_name: MARKUP },
      ...{ status: "completed", started_at, completed_at: started_at },
    })
    .returning("id");
  const page = await calendarOf(user, ZURICH, "?day=2030-05-05");
  await flights(page).getByRole("button").click();
  const choice = dialog(page).getByLabel("Which recorded flight was it?");
  await choice.getByText(MARKUP).waitFor({ state: "attached" });
  await choice.selectOption(String(id));
  const link = dialog(page).getByRole("link", { name: "Show the flight's record" });
  expect(await link.getAttribute("href")).toBe(`/executions/${id}`);
  expect((await listed(user))[0]).toMatchObject({ execution_id: id, status: "completed" });
  await choice.selectOption("None");
  await link.waitFor({ state: "detached" });
  expect((await listed(user))[0]).toMatchObject({ execution_id: null, status: "completed" });
});

test("a rule that the form cannot say is shown as its text, and kept", async () => {
  const { user, store } = await planner(at.world);
  const recurrence_rule = "DTSTART;TZID=Europe/Zurich:20300531T100000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR";
  await store("Monthly", "2030-05-31T08:00:00Z", { recurrence_rule });
  const page = await calendarOf(user, ZURICH, "?day=2030-05-31");
  await flights(page).getByRole("button").click();
  await dialog(page).getByText("RRULE:FREQ=MONTHLY;BYDAY=-1FR").waitFor();
  await press(page, "Edit the series");
  await dialog(page).getByText("Another program wrote this rule").waitFor();
  await dialog(page).getByLabel("First flight").fill("2030-05-31T11:30");
  await press(page, "Save");
  await flights(page).filter({ hasText: "11:30" }).waitFor();
  const [{ scheduled_time, recurrence_rule: kept }] = await listed(user);
  expect([scheduled_time, kept]).toEqual([
    "2030-05-31T09:30:00.000Z",
    recurrence_rule.replace("T100000", "T113000"),
  ]);
  await flights(page).getByRole("button").click();
  await press(page, "Edit the series");
  await dialog(page).getByLabel("Repeats").selectOption("Never");
  await press(page, "Save");
  await closed(page);
  expect(await listed(user)).toMatchObject([{ recurrence_rule: null }]);
});

test("what the API refuses is said in its words, and what was entered stays", async () => {
  const { user, store } = await planner(at.world);
  const { id } = await store("Survey", "2030-05-08T08:00:00Z");
  const page = await calendarOf(user, ZURICH, "?day=2030-05-08");
  await panel(page).getByRole("button", { name: "Plan a flight" }).click();
  await dialog(page).getByLabel("Title").fill("Survey");
  await dialog(page).getByLabel("Date and time").fill("2030-05-08T10:00");
  await press(page, "Save");
  await dialog(page).getByText("You already have an event with this title at this time.").waitFor();
  expect(await dialog(page).getByLabel("Title").inputValue()).toBe("Survey");
  await page.keyboard.press("Escape");
  await flights(page).getByRole("button").click();
  expect((await user.api.delete(`/calendar/events/${id}`)).status).toBe(200);
  await press(page, "Done");
  await dialog(page).getByText("Calendar event not found.").waitFor();
  await press(page, "Close");

  await page.route("**/calendar/events?**", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Month after" }).click();
  const failure = page.getByRole("alert").filter({ hasText: "The gateway does not answer." });
  await failure.waitFor();
  await page.unroute("**/calendar/events?**");
  await failure.getByRole("button", { name: "Try again" }).click();
  await failure.waitFor({ state: "hidden" });
  // The browser itself says on its console that the connection was refused.
  windows[0]?.faults.splice(0);
});

test("markup in every name is shown as text; other drones' flights are left out on request", async () => {
  const { user, store, ids } = await planner(at.world);
  await user.api.put(`/drone/${ids.drone_id}`, { name: MARKUP });
  await at.world.gateway.deps.db("missions").where({ id: ids.mission_id }).update({ name: MARKUP });
  await saveSubscription(at.world.gateway.deps.db, user.id, { status: "active", vehicle_count: 1 });
  const other = await user.api.post("/drone", { type: "sitl", name: "Other", vehicle_type: "copter" });
  await store(MARKUP, "2030-05-06T12:00:00Z", { description: MARKUP, recurrence_rule: "FREQ=DAILY;COUNT=2" });
  await store("Of the other", "2030-05-06T13:00:00Z", { drone_id: other.body.id });
  const page = await calendarOf(user, ZURICH, "?view=week");
  await flights(page).nth(1).waitFor();
  await page.getByLabel("Drone").selectOption(MARKUP);
  await flights(page).filter({ hasText: "Of the other" }).waitFor({ state: "detached" });
  await flights(page).getByRole("button").click();
  expect(await dialog(page).getByRole("heading", { level: 2 }).textContent()).toBe(MARKUP);
  expect(await dialog(page).locator("dd").allTextContents()).toEqual(
    expect.arrayContaining([MARKUP, MARKUP, MARKUP]),
  );
  await press(page, "Edit the series");
  await dialog(page).getByLabel("Title").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.title()).toBe("Calendar – Fleet Gateway");
});

test("without a drone or a mission it says what is needed first", async () => {
  const user = await at.world.gateway.newUser();
  const page = await calendarOf(user);
  const add = () => panel(page).getByRole("button", { name: "Plan a flight" }).click();
  await add();
  await dialog(page).getByText("A flight needs a drone. Add one first.").waitFor();
  await user.api.post("/drone", { type: "sitl", name: "Falcon", vehicle_type: "copter" });
  await page.reload();
  await add();
  await dialog(page).getByText("A flight needs a mission. Draw one first.").waitFor();
  expect(await dialog(page).getByRole("link").getAttribute("href")).toBe("/plan");
});
