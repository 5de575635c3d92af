import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { strings } from "../strings";
import { ConnectionBanner } from "./connection-banner";
import { ThemeToggle, UnitToggle } from "./toggles";

const text = strings.pages;

/** Pages of a signed-in user, and the paths that belong to each. */
const links = [
  [paths.home, text.fleet, /^\/($|fly\/)/],
  [paths.plans, text.plans, /^\/plan/],
  [paths.flights, text.flights, /^\/executions/],
  [paths.calendar, text.calendar, /^\/calendar/],
  [paths.account, text.account, /^\/account/],
] as const;

/** The bar above every page, and the page. */
export function Shell({ children }: { children: ComponentChildren }) {
  const session = useSession();
  const { route, path } = useLocation();
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
        <a class="product" href={paths.home} aria-label={strings.product}>
          <Mark />
          <span>{strings.product}</span>
        </a>
        {user && <Links path={path} />}
        <div class="bar-end">
          {user && <span class="who">{user.username}</span>}
          {user && <UnitToggle />}
          <ThemeToggle />
          {user && (
            <button type="button" onClick={signOut}>
              {strings.signOut}
            </button>
          )}
        </div>
      </header>
      <ConnectionBanner />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** They scroll where they have no room beside each other, and the one of the page that is shown is in view. */
function Links({ path }: { path: string }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (nav.current && current) nav.current.scrollLeft = current.offsetLeft - nav.current.offsetLeft;
  }, [path]);
  return (
    <nav ref={nav} class="pages" aria-label={text.title}>
      {links.map(([to, label, belongs]) => (
        <a key={to} href={to} aria-current={belongs.test(path) ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

const Mark = () => (
  <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="7" class="mark-ground" />
    <path d="M16 6l8 19-8-5-8 5z" class="mark-arrow" />
  </svg>
);
