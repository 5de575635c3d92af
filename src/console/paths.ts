/**
 * The paths of the console's pages, with `:name` for parameters. Those that mails link to are the gateway's contract. The
 * Ingress publishes each first segment (`templates/_public-paths.tpl` of the chart); `/api`, `/drone` and `/redispad`
 * are other services' there.
 */
export const paths = {
  home: "/",
  fly: "/fly/:id",
  plans: "/plan",
  mission: "/plan/mission/:id",
  geofence: "/plan/geofence/:id",
  flights: "/executions",
  flight: "/executions/:id",
  calendar: "/calendar",
  account: "/account",
  signIn: "/sign-in",
  register: "/register",
  forgotPassword: "/forgot-password",
  resetPassword: "/reset-password",
  activate: "/activate/:id/:token",
  billing: "/billing",
} as const;

/** The address of a page about one thing: `pathTo(paths.fly, 7)` is `/fly/7`. */
export const pathTo = (
  path: typeof paths.fly | typeof paths.mission | typeof paths.geofence | typeof paths.flight,
  id: number,
): string => path.replace(":id", String(id));
