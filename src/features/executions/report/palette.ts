/** Colours of the report, in the mail and in its pictures. */
export const palette = {
  ink: "#14213d",
  text: "#26334d",
  soft: "#66738c",
  line: "#e3e8f0",
  ground: "#f5f7fa",
  paper: "#ffffff",
  track: "#1f6feb",
  planned: "#9aa7bd",
  altitude: "#1f6feb",
  speed: "#e8710a",
  start: "#1a9c5b",
  end: "#d33a3a",
  warn: "#b45309",
} as const;

/** Fonts that a server has. */
export const svgFont = "DejaVu Sans, Liberation Sans, Arial, sans-serif";
