import { signal } from "@preact/signals";
import type { StickSource, Sticks } from "./axes";
import { axesOf, type PadSettings } from "./pad-settings";

/** The connected gamepads. A browser shows one when one of its buttons is pressed on the page. */
export const connectedPads = (): Gamepad[] =>
  // Missing in some browsers where the page came by plain HTTP.
  (navigator.getGamepads?.() ?? []).filter((pad) => pad !== null);

/** Counts the gamepads that come and go. */
export const padChanges = signal(0);
for (const name of ["gamepadconnected", "gamepaddisconnected"])
  addEventListener(name, () => {
    padChanges.value += 1;
  });

/** The sticks of one gamepad. They are gone when it is unplugged. */
export class PadSticks implements StickSource {
  constructor(
    private readonly index: number,
    private readonly settings: () => PadSettings,
  ) {}

  read(): Sticks | undefined {
    const pad = connectedPads().find(({ index, connected }) => index === this.index && connected);
    if (!pad) return undefined;
    return {
      axes: axesOf(pad.axes, this.settings()),
      buttons: pad.buttons.map(({ pressed }) => pressed),
    };
  }

  end(): void {}
}
