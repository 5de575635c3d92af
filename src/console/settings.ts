/** What the gateway that serves the console was configured with. */
export interface Settings {
  /** The relay's, such as `wss://relay.example.com`. The page's own where both have one host. */
  readonly relayOrigin: string;
  /** The address of the base map's style. Without one the map is a plain ground. */
  readonly mapStyle?: string;
  /** The path of the base map's .pmtiles file. */
  readonly mapFile?: string;
  /** Whether people may register by themselves. */
  readonly registration: boolean;
}

/** Read from the page, into which the gateway writes it. The development server writes nothing. */
export const settings: Settings = {
  relayOrigin: location.origin.replace(/^http/, "ws"),
  registration: true,
  ...(JSON.parse(
    document.querySelector<HTMLMetaElement>('meta[name="settings"]')?.content || "{}",
  ) as Partial<Settings>),
};
