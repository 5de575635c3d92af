import { useLocation } from "preact-iso/router";
import { reply } from "../../client/client";
import { Card } from "../parts/card";
import { PasswordField } from "../parts/fields";
import { Form } from "../parts/form";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { signInHint } from "../session/sign-in-hint";
import { strings } from "../strings";

const text = strings.resetPassword;

/** The page of both mails: `verify=true` is of a registration, and the password its first. */
export default function ResetPassword() {
  const { api } = useSession().client;
  const { query, route } = useLocation();
  const { token, verify } = query;
  const isFirst = verify === "true";
  const askAgain = isFirst ? paths.register : paths.forgotPassword;

  const setPassword = async (token: string, password: string) => {
    const { data, message } = isFirst
      ? await reply(api.POST("/register/{token}", { params: { path: { token } }, body: { password } }))
      : await reply(
          api.POST("/update-password", { headers: { Authorization: `Bearer ${token}` }, body: { password } }),
        );
    signInHint.value = { email: data.username, notice: message };
    // The address with the token leaves the tab's history.
    route(paths.signIn, true);
  };

  return (
    <Card title={isFirst ? text.firstTitle : text.title}>
      {token ? (
        <Form
          label={text.submit}
          busyLabel={text.busy}
          submit={({ password = "" }) => setPassword(token, password)}
        >
          <PasswordField isNew />
        </Form>
      ) : (
        <p class="failure">{text.incomplete}</p>
      )}
      <nav class="links">
        <a href={askAgain}>{text.askAgain}</a>
        <a href={paths.signIn}>{strings.goBackToSignIn}</a>
      </nav>
    </Card>
  );
}
