import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { SignIn } from "../session/sign-in";
import { signInHint } from "../session/sign-in-hint";

/** Leads signed-in users to their first page. */
export default function SignInPage() {
  const isSignedIn = useSession().user.value !== undefined;
  const { route } = useLocation();
  useEffect(() => {
    if (!isSignedIn) return;
    signInHint.value = undefined;
    route(paths.home, true);
  }, [isSignedIn]);
  return isSignedIn ? null : <SignIn {...signInHint.value} />;
}
