import { type AutopilotName, autopilots, isPx4 } from "../../../testing/autopilots/autopilot";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../../testing/autopilots/witness";
import {
  type Command,
  commandName,
  commands,
  type Parameter,
  type ParameterColumn,
} from "../../pages/plan/commands";
import { newRow, toPoint } from "../../pages/plan/mission/row";

jest.setTimeout(600_000);

interface Adjusted {
  readonly sequence: number;
  readonly field: string;
}

/** A value that is not 0 and fits, so that one that is left out shows. */
function sampleOf({ options, isRow, initial, min = 0, max = 3 }: Parameter): number {
  if (isRow) return 1;
  if (options) return options.at(-1) ?? 0;
  return initial || Math.min(max, Math.max(min, 3));
}

/** The table is of the copters of both; a rover takes what its firmware has in common with them. */
const flown = autopilots.filter((name) => name === "copter" || name === "px4-quad");

describe.each(flown)("%s", (name: AutopilotName) => {
  const autopilot = isPx4(name) ? "px4" : "ardupilot";
  let vehicle: TestedVehicle;
  let home: ObservedState;
  beforeAll(async () => {
    vehicle = await startVehicle(name);
    home = await vehicle.witness.fresh();
  });
  afterAll(() => vehicle.stop());

  /** Whether the vehicle takes the command, and which parameters it leaves out that it keeps by the table. */
  async function pushed(command: Command): Promise<string> {
    const start = { lat: home.lat, lng: home.lng };
    const row = (of: Command, key: number) => newRow(of, key, start, undefined);
    const values = Object.entries(command.parameters).map(([column, parameter]) => [
      column,
      sampleOf(parameter),
    ]);
    const [takeOff, waypoint] = [22, 16].map((id) => commands.find((one) => one.id === id) as Command);
    const rows = [
      row(takeOff as Command, 1),
      row(waypoint as Command, 2),
      { ...row(command, 3), ...Object.fromEntries(values) },
      row(waypoint as Command, 4),
    ];
    const { id } = (await vehicle.api.post("/mission", { name: `command ${command.id}` })).body;
    await vehicle.api.post(`/mission/${id}/points`, rows.map(toPoint));
    const { status, body } = await vehicle.order("push_mission", { mission_id: id });
    if (status !== 200) return /row 3/.test(body.error) ? "refused" : body.error;
    const adjusted: Adjusted[] = body.result.adjusted;
    const isKept = (field: string) => {
      const parameter = command.parameters[field as ParameterColumn];
      return parameter !== undefined && (parameter.only ?? autopilot) === autopilot;
    };
    const leftOut = adjusted.filter(({ sequence, field }) => sequence === 3 && isKept(field));
    return ["taken", ...leftOut.map(({ field }) => field)].join(" ");
  }

  test("takes the commands that the table says, with the parameters that it says", async () => {
    const found: Record<string, string> = {};
    const said: Record<string, string> = {};
    for (const command of commands) {
      const shown = commandName(command.id);
      found[shown] = await pushed(command);
      said[shown] = command.takenBy.includes(autopilot) ? "taken" : "refused";
    }
    expect(found).toEqual(said);
  });
});
