import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./session";

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the page. Its `client` calls the API. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no SessionContext above this component.");
  return session;
}
