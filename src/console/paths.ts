/**
 * The paths of the console's pages, with `:name` for parameters. Those that mails link to are the gateway's contract. The
 * Ingress publishes each first segment (`templates/gateway/ingress.yaml` of the chart); `/api`, `/drone` and `/redispad`
 * are other services' there.
 */
export const paths = {
  home: "/",
  signIn: "/sign-in",
  register: "/register",
  forgotPassword: "/forgot-password",
  resetPassword: "/reset-password",
  activate: "/activate/:id/:token",
  billing: "/billing",
} as const;
