import { useSignal } from "@preact/signals";
import { Card } from "../parts/card";
import { EmailField } from "../parts/fields";
import { Form } from "../parts/form";
import { paths } from "../paths";
import { strings } from "../strings";

interface MailedLinkFormProps {
  readonly text: {
    readonly title: string;
    readonly intro: string;
    readonly submit: string;
    readonly busy: string;
  };
  /** Asks for the mail. Returns what the API says. */
  readonly send: (email: string) => Promise<string>;
}

/** Asks for an email address, to which the gateway mails a link. */
export function MailedLinkForm({ text, send }: MailedLinkFormProps) {
  const sent = useSignal("");
  return (
    <Card title={text.title}>
      <p>{text.intro}</p>
      <Form
        label={text.submit}
        busyLabel={text.busy}
        submit={async ({ email = "" }) => {
          sent.value = "";
          sent.value = await send(email);
        }}
      >
        <EmailField />
      </Form>
      <p role="status" class="notice" hidden={sent.value === ""}>
        {sent.value}
      </p>
      <nav class="links">
        <a href={paths.signIn}>{strings.goBackToSignIn}</a>
      </nav>
    </Card>
  );
}
