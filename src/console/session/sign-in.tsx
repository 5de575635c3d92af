import { Card } from "../parts/card";
import { EmailField, PasswordField } from "../parts/fields";
import { Form } from "../parts/form";
import { paths } from "../paths";
import { settings } from "../settings";
import { strings } from "../strings";
import { useSession } from "./context";

const text = strings.signIn;

interface SignInProps {
  /** The email that is entered already. */
  readonly email?: string | undefined;
  /** Why the user is asked. */
  readonly notice?: string | undefined;
}

/** The form by which a user signs in. What shows it shows something else then. */
export function SignIn({ email, notice }: SignInProps) {
  const session = useSession();
  const why = notice ?? (session.state.value === "expired" ? text.expired : undefined);
  return (
    <Card title={text.title}>
      {why && (
        <p role="status" class="notice">
          {why}
        </p>
      )}
      <Form
        label={text.submit}
        busyLabel={text.busy}
        submit={({ email = "", password = "" }) => session.signIn(email, password)}
      >
        <EmailField value={email} />
        <PasswordField />
      </Form>
      <nav class="links">
        <a href={paths.forgotPassword}>{text.forgot}</a>
        {settings.registration && <a href={paths.register}>{text.register}</a>}
      </nav>
    </Card>
  );
}
