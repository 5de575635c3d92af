import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { strings } from "../strings";
import { theme, toggleTheme } from "./theme";

/** The bar above every page, and the page. */
export function Shell({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const { route } = useLocation();
  const user = session.user.value;
  const signOut = () => {
    session.signOut();
    route(paths.signIn);
  };
  return (
    <>
      <a class="skip" href="#content">
        {strings.skipToContent}
      </a>
      <header class="bar">
        <a class="product" href={paths.home}>
          <Mark />
          {strings.product}
        </a>
        <div class="bar-end">
          {user && <span class="who">{user.username}</span>}
          <ThemeToggle />
          {user && (
            <button type="button" onClick={signOut}>
              {strings.signOut}
            </button>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function ThemeToggle() {
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

const Mark = () => (
  <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="7" class="mark-ground" />
    <path d="M16 6l8 19-8-5-8 5z" class="mark-arrow" />
  </svg>
);
