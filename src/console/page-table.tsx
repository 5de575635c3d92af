import lazy from "preact-iso/lazy";
import { exec } from "preact-iso/router";
import SignInPage from "./pages/sign-in";
import { isNarrow } from "./parts/media";
import { paths } from "./paths";
import { forUsers, type PageComponent } from "./session/for-users";

interface Page {
  readonly path: string;
  readonly component: PageComponent;
  /** Whether it shows a map at once. One beside a list is shown on demand on a narrow window. */
  readonly map?: "shown" | "beside a list";
}

/**
 * Every page of the console. A lazy one is loaded when it is opened. `forUsers` shows a page to signed-in users, and lets
 * others sign in at its address.
 */
export const pages: readonly Page[] = [
  { path: paths.signIn, component: SignInPage },
  { path: paths.register, component: lazy(() => import("./pages/register")) },
  { path: paths.forgotPassword, component: lazy(() => import("./pages/forgot-password")) },
  { path: paths.resetPassword, component: lazy(() => import("./pages/reset-password")) },
  { path: paths.activate, component: lazy(() => import("./pages/activate")) },
  { path: paths.billing, component: lazy(() => import("./pages/billing")) },
  { path: paths.home, component: forUsers(lazy(() => import("./pages/fleet/fleet"))), map: "beside a list" },
  { path: paths.fly, component: forUsers(lazy(() => import("./pages/fly/fly"))), map: "shown" },
  { path: paths.plans, component: forUsers(lazy(() => import("./pages/plan/plans"))) },
  { path: paths.mission, component: forUsers(lazy(() => import("./pages/plan/mission"))), map: "shown" },
  { path: paths.geofence, component: forUsers(lazy(() => import("./pages/plan/geofence"))), map: "shown" },
  { path: paths.flights, component: forUsers(lazy(() => import("./pages/flights/flights"))) },
  { path: paths.flight, component: forUsers(lazy(() => import("./pages/flights/flight"))), map: "shown" },
  { path: paths.calendar, component: forUsers(lazy(() => import("./pages/calendar/calendar"))) },
  { path: paths.account, component: forUsers(lazy(() => import("./pages/account/account"))) },
];

/**
 * Loads the page of this address, and the map that it shows, while the session begins that it needs. What shows them says
 * why they do not load.
 */
export function preloadPage(address: string): void {
  const page = pages.find(({ path }) => exec(address, path));
  const hasMap = page?.map === "shown" || (page?.map === "beside a list" && !isNarrow.peek());
  const parts = [page?.component.preload?.(), hasMap && import("./map/map-view")];
  Promise.all(parts).catch(() => undefined);
}
