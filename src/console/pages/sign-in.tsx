import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { SignIn } from "../parts/sign-in";
import { paths } from "../paths";
import { useSession } from "../session/context";
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
