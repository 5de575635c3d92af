import { render } from "preact";
import { App } from "./app";
import { Live } from "./live/live";
import { preloadPage } from "./page-table";
import { startTheme } from "./parts/theme";
import { Session } from "./session/session";
import "./styles/theme.css";
import "./styles/base.css";
import "./styles/forms.css";
import "./styles/shell.css";

startTheme();
const session = new Session(location.origin, sessionStorage);
if (session.isKept) preloadPage(location.pathname);
render(<App session={session} live={new Live(session)} />, document.getElementById("console") as HTMLElement);
void session.start();

// biome-ignore lint/complexity/noUselessEmptyExport: without it the builder takes this for CommonJS, and wraps every module.
export {};
