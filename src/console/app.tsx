import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router } from "preact-iso/router";
import { LiveContext } from "./live/context";
import type { Live } from "./live/live";
import { pages } from "./page-table";
import NotFound from "./pages/not-found";
import { Card } from "./parts/card";
import { SessionContext, useSession } from "./session/context";
import type { Session } from "./session/session";
import { FailureBoundary } from "./shell/failure-boundary";
import { Shell } from "./shell/shell";
import { strings } from "./strings";

/** Links to pages of the API, such as its documentation, leave the console. */
const SCOPE = /^\/(?!api(\/|$))/;

export const App = ({ session, live }: { session: Session; live: Live }) => (
  <SessionContext.Provider value={session}>
    <LiveContext.Provider value={live}>
      <LocationProvider scope={SCOPE}>
        <Shell>
          <FailureBoundary>
            <Pages />
          </FailureBoundary>
        </Shell>
      </LocationProvider>
    </LiveContext.Provider>
  </SessionContext.Provider>
);

function Pages() {
  const session = useSession();
  useEffect(reloadForNewRelease, []);
  switch (session.state.value) {
    case "starting":
      return null;
    case "unreachable":
      return (
        <Card title={strings.errors.unreachable}>
          <button type="button" class="primary" onClick={() => session.start()}>
            {strings.errors.tryAgain}
          </button>
        </Card>
      );
    default:
      return (
        <Router>
          {pages.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route default component={NotFound} />
        </Router>
      );
  }
}

/** A part of a page that is gone from the gateway was replaced with a new release, which this tab loads then. */
function reloadForNewRelease(): () => void {
  const reload = () => location.reload();
  addEventListener("vite:preloadError", reload);
  return () => removeEventListener("vite:preloadError", reload);
}
