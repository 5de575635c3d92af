import { reply } from "../../client/client";
import { useSession } from "../session/context";
import { MailedLinkForm } from "../session/mailed-link-form";
import { strings } from "../strings";

/** Begins a registration. A gateway that allows none says so when it is asked. */
export default function Register() {
  const { api } = useSession().client;
  return (
    <MailedLinkForm
      text={strings.register}
      send={async (email) => (await reply(api.POST("/verify-email", { body: { email } }))).data.message}
    />
  );
}
