import { reply } from "../../client/client";
import { MailedLinkForm } from "../parts/mailed-link-form";
import { useSession } from "../session/context";
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
