import { unitSystem } from "../format/units";
import { theme, toggleTheme } from "../parts/theme";
import { strings } from "../strings";

export function ThemeToggle() {
  const isDark = theme.value === "dark";
  const label = isDark ? strings.theme.toLight : strings.theme.toDark;
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={toggleTheme}>
      <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
        {isDark ? (
          <>
            <circle cx="12" cy="12" r="4.5" />
            <path d="M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8M19.1 4.9l-1.8 1.8M6.7 17.3l-1.8 1.8" />
          </>
        ) : (
          <path d="M20.5 14.5A8.5 8.5 0 0 1 9.5 3.5a8.5 8.5 0 1 0 11 11z" />
        )}
      </svg>
    </button>
  );
}

export function UnitToggle() {
  const isMetric = unitSystem.value === "metric";
  const label = isMetric ? strings.units.toImperial : strings.units.toMetric;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      onClick={() => {
        unitSystem.value = isMetric ? "imperial" : "metric";
      }}
    >
      {isMetric ? "m" : "ft"}
    </button>
  );
}
