import type { NewestState } from "../../src/vehicle";

/** What a copter says of itself in its so-manieth tenth of a second. */
export function said(drone: number, tenth: number): Partial<NewestState>[] {
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

/** Calls `say` ten times a second for each drone, spread over the tenth. */
export function flyAll(drones: readonly number[], say: (drone: number, tenth: number) => void): () => void {
  let tick = 0;
  const timer = setInterval(() => {
    for (let at = tick % SLICES; at < drones.length; at += SLICES)
      say(drones[at] as number, Math.floor(tick / SLICES));
    tick += 1;
  }, 100 / SLICES);
  return () => clearInterval(timer);
}

const SLICES = 10;
