import { autopilots, isPx4 } from "../testing/autopilots/autopilot";
import { differences, RecordedFlights } from "../testing/autopilots/recorded-flights";

jest.setTimeout(390_000);

const ardupilots = autopilots.filter((name) => !isPx4(name));

describe.each(ardupilots)("%s", (name) => {
  let flights: RecordedFlights;
  beforeAll(async () => {
    flights = await RecordedFlights.of(name);
  });
  afterAll(() => flights.stop());

  test("a log that is written to for ever is taken 30 s after disarming, once", async () => {
    const { witness } = flights.vehicle;
    await witness.setParam("LOG_DISARMED", 1);
    await flights.fly(20);
    const landed = await witness.now();
    const { stats, peer } = await flights.last();
    expect((await witness.now()) - landed).toBeGreaterThan(28);
    expect(stats).toMatchObject({ flight_number: 1, flight_count: 1, complete: true });
    expect(stats.log_seconds - stats.duration_seconds).toBeGreaterThan(28);
    expect(differences(false, stats, peer[0])).toEqual([]);
  });

  test("a log that is rotated at disarming is the flight's, and not the one that it begins there", async () => {
    const { witness } = flights.vehicle;
    await witness.setParam("LOG_FILE_DSRMROT", 1);
    await flights.fly(20);
    const first = await flights.last();
    expect(first.stats).toMatchObject({ flight_number: 2, flight_count: 2 });
    expect(differences(false, first.stats, first.peer[1])).toEqual([]);
    await witness.setParam("LOG_DISARMED", 0);
    await flights.fly(20);
    const second = await flights.last();
    expect(second.log).not.toBe(first.log);
    expect(second.stats).toMatchObject({ flight_number: 1, flight_count: 1 });
    expect(differences(false, second.stats, second.peer[0])).toEqual([]);
  });
});
