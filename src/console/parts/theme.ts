import { computed, signal } from "@preact/signals";

type Theme = "light" | "dark";

const KEPT = "theme";

const system = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal<Theme>(system.matches ? "dark" : "light");
/** The user's choice; the system's theme when there is none. */
const chosen = signal<Theme | undefined>(undefined);

export const theme = computed<Theme>(() => chosen.value ?? systemTheme.value);

function show(stored: string | null): void {
  chosen.value = stored === "light" || stored === "dark" ? stored : undefined;
  if (chosen.value) document.documentElement.dataset.theme = chosen.value;
  else delete document.documentElement.dataset.theme;
}

/** Shows the theme that was chosen before, and follows the system and the other tabs. */
export function startTheme(): void {
  show(localStorage.getItem(KEPT));
  system.addEventListener("change", ({ matches }) => {
    systemTheme.value = matches ? "dark" : "light";
  });
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEPT) show(newValue);
  });
}

export function toggleTheme(): void {
  const next = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem(KEPT, next);
  show(next);
}
