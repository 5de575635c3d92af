import { autopilots, isPx4, isRover } from "../testing/autopilots/autopilot";
import { differences, RecordedFlights } from "../testing/autopilots/recorded-flights";
import type { TestedVehicle } from "../testing/autopilots/tested-vehicle";

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
    await flights.fly(0, async () => {
      await (isPx4(name) ? loseSticks : lowerBattery)(flights.vehicle);
      if (isRover(name)) await flights.vehicle.order("disarm_drone");
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

/** ArduPilot's battery is called low, and it returns or lands. */
async function lowerBattery({ name, witness }: TestedVehicle): Promise<void> {
  const from = await witness.now();
  await witness.setParam("BATT_FS_LOW_ACT", isRover(name) ? 2 : 1);
  await witness.setParam("BATT_LOW_VOLT", 12.9);
  const isLow = async () => (await witness.texts(from)).some((text) => /fail\s?safe|battery/i.test(text));
  await witness.until("the failsafe", isLow);
}

/** AUTO.RTL. */
const RETURN = 0x05040000;

/** PX4, whose simulator uses no battery, is flown with sticks and loses them: it returns. */
async function loseSticks({ witness, order }: TestedVehicle): Promise<void> {
  await witness.setParam("NAV_RCL_ACT", 2);
  await witness.holdSticks(true);
  const position = { mode_info: { custom_mode: "POSCTL" } };
  await witness.until(
    "that it takes the sticks",
    async () => (await order("set_mode", position)).status === 200,
  );
  await witness.holdSticks(false);
  await witness.until("the failsafe", async () => (await witness.fresh()).customMode === RETURN);
}
