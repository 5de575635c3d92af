import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import SignInPage from "./pages/sign-in";
import { paths } from "./paths";
import { forUsers } from "./session/for-users";

interface Page {
  readonly path: string;
  readonly component: ComponentType;
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
  { path: paths.home, component: forUsers(lazy(() => import("./pages/fleet/fleet"))) },
  { path: paths.fly, component: forUsers(lazy(() => import("./pages/fly/fly"))) },
  { path: paths.plans, component: forUsers(lazy(() => import("./pages/plan/plans"))) },
  { path: paths.mission, component: forUsers(lazy(() => import("./pages/plan/mission"))) },
  { path: paths.geofence, component: forUsers(lazy(() => import("./pages/plan/geofence"))) },
  { path: paths.flights, component: forUsers(lazy(() => import("./pages/flights/flights"))) },
  { path: paths.flight, component: forUsers(lazy(() => import("./pages/flights/flight"))) },
  { path: paths.calendar, component: forUsers(lazy(() => import("./pages/calendar/calendar"))) },
  { path: paths.account, component: forUsers(lazy(() => import("./pages/account/account"))) },
];
