import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { Form } from "../../parts/form";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Section } from "./section";

const text = strings.account.password;

/** A new password is set by the link of a mail. */
export function PasswordPart({ email }: { email: string }) {
  const { api } = useSession().client;
  const sent = useSignal("");
  const send = async () => {
    sent.value = "";
    sent.value = (await reply(api.POST("/reset-password", { body: { email } }))).data.message;
  };
  return (
    <Section title={text.title}>
      <p>{text.intro(email)}</p>
      <Form label={text.submit} busyLabel={text.busy} submit={send}>
        <p role="status" class="notice" hidden={sent.value === ""}>
          {sent.value}
        </p>
      </Form>
    </Section>
  );
}
