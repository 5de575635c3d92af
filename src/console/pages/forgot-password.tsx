import { reply } from "../../client/client";
import { useSession } from "../session/context";
import { MailedLinkForm } from "../session/mailed-link-form";
import { strings } from "../strings";

export default function ForgotPassword() {
  const { api } = useSession().client;
  return (
    <MailedLinkForm
      text={strings.forgotPassword}
      send={async (email) => (await reply(api.POST("/reset-password", { body: { email } }))).data.message}
    />
  );
}
