import type { FunctionComponent } from "preact";
import lazy from "preact-iso/lazy";
import { exec, useRoute } from "preact-iso/router";
import NotFound from "./pages/not-found";
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

const mailedLinks = () => import("./pages/mailed-links");
const editors = () => import("./pages/plan/editors");

/** A page of a module that has several. */
const oneOf = <Name extends string>(
  load: () => Promise<Readonly<Record<Name, FunctionComponent>>>,
  name: Name,
): PageComponent => lazy(async () => ({ default: (await load())[name] }));

/**
 * Every page of the console. A lazy one is loaded when it is opened. `forUsers` shows a page to signed-in users, and lets
 * others sign in at its address.
 */
export const pages: readonly Page[] = [
  { path: paths.signIn, component: SignInPage },
  { path: paths.register, component: oneOf(mailedLinks, "Register") },
  { path: paths.forgotPassword, component: oneOf(mailedLinks, "ForgotPassword") },
  { path: paths.resetPassword, component: oneOf(mailedLinks, "ResetPassword") },
  { path: paths.activate, component: oneOf(mailedLinks, "Activate") },
  { path: paths.billing, component: oneOf(mailedLinks, "Billing") },
  { path: paths.home, component: forUsers(lazy(() => import("./pages/fleet/fleet"))), map: "beside a list" },
  { path: paths.fly, component: ofNumber(forUsers(lazy(() => import("./pages/fly/fly")))), map: "shown" },
  { path: paths.plans, component: forUsers(lazy(() => import("./pages/plan/plans"))) },
  { path: paths.mission, component: ofNumber(forUsers(oneOf(editors, "Mission"))), map: "shown" },
  { path: paths.geofence, component: ofNumber(forUsers(oneOf(editors, "Geofence"))), map: "shown" },
  { path: paths.flights, component: forUsers(lazy(() => import("./pages/flights/flights"))) },
  {
    path: paths.flight,
    component: ofNumber(forUsers(lazy(() => import("./pages/flights/flight")))),
    map: "shown",
  },
  { path: paths.calendar, component: forUsers(lazy(() => import("./pages/calendar/calendar"))) },
  { path: paths.account, component: forUsers(lazy(() => import("./pages/account/account"))) },
];

/** The page about one thing. Things have whole numbers, so that no page is at an address with another `id`. */
function ofNumber(Page: PageComponent): PageComponent {
  const PageOfNumber = () => (/^\d+$/.test(useRoute().params.id ?? "") ? <Page /> : <NotFound />);
  return Object.assign(PageOfNumber, Page.preload && { preload: Page.preload });
}

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
