import type { NewestState } from "../../src/vehicle";

/** What a copter says of itself in its so-manieth tenth of a second. */
function said(drone: number, tenth: number): Partial<NewestState>[] {
  const position = {
    latitude: 47.397742 + drone * 1e-5 + tenth * 1e-7,
    longitude: 8.545594 - tenth * 1e-7,
    altitude: 520.5,
    relative_altitude: 30.25,
    heading: (drone + tenth) % 360,
  };
  if (tenth % 10 !== 0) return [{ position }];
  return [
    { position },
    { armed: true, mode: "AUTO" },
    { battery: { voltage: 12.1, remaining: 80 } },
    { mission: { item: 3, items: 12, state: "flying" } },
  ];
}

/**
 * What a server answers the benchmark: `fly`, from then on `say` is called ten times a second for each of these drones,
 * spread over the tenth, and once for each at the start; `land` ends that.
 */
export function flights(say: (drone: number, part: Partial<NewestState>) => void) {
  let timer: NodeJS.Timeout | undefined;
  const sayAll = (drone: number, tenth: number) => {
    for (const part of said(drone, tenth)) say(drone, part);
  };
  return {
    fly: (drones: readonly number[]) => {
      for (const drone of drones) sayAll(drone, 0);
      let tick = 0;
      timer = setInterval(() => {
        for (let at = tick % SLICES; at < drones.length; at += SLICES)
          sayAll(drones[at] as number, Math.floor(tick / SLICES));
        tick += 1;
      }, 100 / SLICES);
      return drones.length;
    },
    land: () => {
      clearInterval(timer);
      return true;
    },
  };
}

const SLICES = 10;
