import { autopilots, isPx4, isRover } from "../testing/autopilots/autopilot";
import { differences, RecordedFlights } from "../testing/autopilots/recorded-flights";

jest.setTimeout(390_000);

describe.each(autopilots)("%s", (name) => {
  // PX4's simulator has no GPS time, and a log for each flight.
  const flight_chosen_by = isPx4(name) ? "order" : "time";
  let flights: RecordedFlights;
  beforeAll(async () => {
    flights = await RecordedFlights.of(name);
  });
  afterAll(() => flights.stop());

  test("a flight is recorded with the figures that the peer reads in its log", async () => {
    await flights.fly(60);
    const { stats, peer } = await flights.last();
    expect(stats).toMatchObject({ flight_number: 1, flight_count: 1, flight_chosen_by });
    expect(stats).toMatchObject({ complete: true, failsafes: 0 });
    expect(stats.distance_m).toBeGreaterThan(100);
    expect(differences(isPx4(name), stats, peer[0])).toEqual([]);
  });

  test("the next flight, which a failsafe ends, has its own figures, and the failsafe once", async () => {
    const { witness, order } = flights.vehicle;
    await flights.fly(0, async () => {
      const lowBattery = isPx4(name)
        ? { COM_LOW_BAT_ACT: 3, BAT_LOW_THR: 0.99, BAT_CRIT_THR: 0.97 }
        : { BATT_FS_LOW_ACT: isRover(name) ? 2 : 1, BATT_LOW_VOLT: 12.9 };
      const from = await witness.now();
      for (const [param, value] of Object.entries(lowBattery)) await witness.setParam(param, value);
      await witness.until("the failsafe", async () =>
        (await witness.texts(from)).some((text) => /fail\s?safe|battery/i.test(text)),
      );
      if (isRover(name)) await order("disarm_drone");
    });
    const { stats, peer } = await flights.last();
    // PX4 begins a log with each arming.
    const number = isPx4(name) ? 1 : 2;
    expect(stats).toMatchObject({ flight_number: number, flight_count: number, flight_chosen_by });
    expect(stats.complete).toBe(true);
    expect(differences(isPx4(name), stats, peer[number - 1])).toEqual([]);
    expect(stats.failsafes).toBe(1);
    expect(stats.incidents.filter(({ severity }) => severity === "failsafe")).not.toEqual([]);
  });
});
