import type { ComponentType } from "preact";
import { useSession } from "./context";
import { SignIn } from "./sign-in";

/** The page for a signed-in user, begun anew for another one; the sign-in form at the same address otherwise. */
export const forUsers = (Page: ComponentType): ComponentType =>
  function PageForUsers() {
    const user = useSession().user.value;
    return user ? <Page key={user.id} /> : <SignIn />;
  };
