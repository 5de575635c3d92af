import { type Axes, CENTRED, type StickSource, type Sticks } from "./axes";

/** What a held key adds, by its place on the keyboard. */
const KEYS: Readonly<Record<string, Partial<Axes>>> = {
  KeyW: { throttle: 1 },
  KeyS: { throttle: -1 },
  KeyA: { yaw: -1 },
  KeyD: { yaw: 1 },
  ArrowUp: { pitch: 1 },
  ArrowDown: { pitch: -1 },
  ArrowLeft: { roll: -1 },
  ArrowRight: { roll: 1 },
};

/** Sticks by keys. A key counts while nothing is entered in a field. */
export class Keyboard implements StickSource {
  private readonly held = new Set<string>();

  /** `deflection`: how far a key moves a stick, 0 to 1. */
  constructor(private readonly deflection: () => number) {
    // Before the map and the page get the arrow keys.
    addEventListener("keydown", this.press, { capture: true });
    addEventListener("keyup", this.release, { capture: true });
  }

  read(): Sticks {
    const axes: Record<keyof Axes, number> = { ...CENTRED };
    for (const code of this.held) {
      for (const [name, way] of Object.entries(KEYS[code] ?? {}))
        axes[name as keyof Axes] += way * this.deflection();
    }
    return { axes, buttons: [] };
  }

  end(): void {
    removeEventListener("keydown", this.press, { capture: true });
    removeEventListener("keyup", this.release, { capture: true });
    this.held.clear();
  }

  private readonly press = (event: KeyboardEvent) => {
    // macOS tells of no key that is let go while this one is held.
    if (event.metaKey) this.held.clear();
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (!(event.code in KEYS) || isShortcut || isEntered(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    this.held.add(event.code);
  };

  private readonly release = ({ code }: KeyboardEvent) => {
    this.held.delete(code);
  };
}

const isEntered = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
