import { computed } from "@preact/signals";
import { theme } from "../parts/theme";

/** What MapLibre paints with, which reads no custom properties. By purpose, as in `styles/theme.css`. */
interface MapColours {
  readonly ground: string;
  readonly line: string;
  readonly text: string;
  readonly halo: string;
  readonly drone: string;
  readonly droneArmed: string;
  readonly droneSilent: string;
  readonly plan: string;
  readonly planCurrent: string;
  readonly track: string;
  readonly inclusion: string;
  readonly exclusion: string;
  readonly home: string;
}

const light: MapColours = {
  ground: "#e6ebf1",
  line: "#b9c4d0",
  text: "#17202b",
  halo: "#ffffff",
  drone: "#0b5fff",
  droneArmed: "#b42318",
  droneSilent: "#76818e",
  plan: "#8a4b00",
  planCurrent: "#c2185b",
  track: "#0d7a4a",
  inclusion: "#0d7a4a",
  exclusion: "#b42318",
  home: "#5b21b6",
};

const dark: MapColours = {
  ground: "#10161d",
  line: "#2e3947",
  text: "#e7edf4",
  halo: "#0d1218",
  drone: "#8ab4ff",
  droneArmed: "#ff8a80",
  droneSilent: "#8492a3",
  plan: "#ffd479",
  planCurrent: "#ff80ab",
  track: "#7ee2ae",
  inclusion: "#7ee2ae",
  exclusion: "#ff8a80",
  home: "#cdb4ff",
};

export const colours = computed<MapColours>(() => (theme.value === "dark" ? dark : light));

interface BaseColours {
  readonly earth: string;
  readonly green: string;
  readonly water: string;
  readonly building: string;
  readonly road: string;
  readonly boundary: string;
  readonly text: string;
  readonly halo: string;
}

const lightBase: BaseColours = {
  earth: "#eeece6",
  green: "#d3e3c8",
  water: "#a9cbe6",
  building: "#d8d4cc",
  road: "#ffffff",
  boundary: "#9a8fa8",
  text: "#3c4653",
  halo: "#ffffff",
};

const darkBase: BaseColours = {
  earth: "#171c22",
  green: "#1d2a22",
  water: "#0f2536",
  building: "#262d36",
  road: "#3a4552",
  boundary: "#5d5570",
  text: "#b9c4d0",
  halo: "#0d1218",
};

/** Of a base map of vectors. What lies on it stays the most conspicuous. */
export const baseColours = computed<BaseColours>(() => (theme.value === "dark" ? darkBase : lightBase));
