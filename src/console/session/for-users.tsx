import type { ComponentType } from "preact";
import { useSession } from "./context";
import { SignIn } from "./sign-in";

/** A page that may be loaded before it is shown. */
export type PageComponent = ComponentType & { readonly preload?: () => Promise<unknown> };

/** The page for a signed-in user, begun anew for another one; the sign-in form at the same address otherwise. */
export function forUsers(Page: PageComponent): PageComponent {
  function PageForUsers() {
    const user = useSession().user.value;
    return user ? <Page key={user.id} /> : <SignIn />;
  }
  return Object.assign(PageForUsers, Page.preload && { preload: Page.preload });
}
