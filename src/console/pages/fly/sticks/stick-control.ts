import { computed, signal } from "@preact/signals";
import type { Session } from "../../../session/session";
import { settings } from "../../../settings";
import { strings } from "../../../strings";
import { connectedPads, PadSticks, padChanges } from "./gamepad";
import { Keyboard } from "./keyboard";
import { defaultSettings, loadSettings, type PadSettings, saveSettings } from "./pad-settings";
import { StickLink } from "./stick-link";
import { touchSource } from "./touch";

const text = strings.fly.sticks;

export type SourceKind = "keyboard" | "gamepad" | "touch";

/** What the pilot chose about the sticks of one drone, and their link. */
export class StickControl {
  readonly link: StickLink;
  readonly kind = signal<SourceKind>(connectedPads().length > 0 ? "gamepad" : "keyboard");
  /** How far a key moves a stick, 0 to 1. */
  readonly deflection = signal(0.6);
  private readonly chosenPad = signal<number | undefined>(undefined);
  private readonly changed = signal<{ readonly padId: string; readonly settings: PadSettings } | undefined>(
    undefined,
  );

  constructor(session: Session, droneId: number) {
    this.link = new StickLink({
      address: () => {
        const { accessToken = "" } = session.client;
        const query = new URLSearchParams({ access_token: accessToken });
        return `${settings.relayOrigin}/redispad/${droneId}?${query}`;
      },
      refreshToken: () => session.client.refreshTokens(),
    });
  }

  readonly pads = computed(() => {
    padChanges.value;
    return connectedPads().map(({ index, id, axes, buttons }) => ({
      ...{ index, id },
      ...{ axes: axes.length, buttons: buttons.length },
    }));
  });
  /** The pad that is used; undefined when there is none. */
  readonly pad = computed(
    () => this.pads.value.find(({ index }) => index === this.chosenPad.value) ?? this.pads.value[0],
  );
  readonly padSettings = computed<PadSettings>(() => {
    const id = this.pad.value?.id;
    if (id === undefined) return defaultSettings;
    return this.changed.value?.padId === id ? this.changed.value.settings : loadSettings(id);
  });

  choosePad(index: number): void {
    this.chosenPad.value = index;
  }

  /** Keeps them for pads of this name. */
  setPadSettings(settings: PadSettings): void {
    const padId = this.pad.peek()?.id;
    if (padId === undefined) return;
    saveSettings(padId, settings);
    this.changed.value = { padId, settings };
  }

  turnOn(): void {
    switch (this.kind.peek()) {
      case "keyboard":
        this.link.turnOn(new Keyboard(() => this.deflection.peek()));
        return;
      case "touch":
        this.link.turnOn(touchSource());
        return;
      case "gamepad": {
        const pad = this.pad.peek();
        if (pad) this.link.turnOn(new PadSticks(pad.index, () => this.padSettings.peek()));
        else this.link.turnOff(text.released.gone);
      }
    }
  }
}
