import { useLocation, useRoute } from "preact-iso/router";
import { reply } from "../../client/client";
import { Card } from "../parts/card";
import { Form } from "../parts/form";
import { paths } from "../paths";
import { useSession } from "../session/context";
import { strings } from "../strings";

const text = strings.activate;

/** Activates on a press of the button: programs that look at the links of a mail activate nothing. */
export default function Activate() {
  const session = useSession();
  const { id = "", token = "" } = useRoute().params;
  const { route } = useLocation();
  const activate = async () => {
    const path = { user_id: Number(id), token };
    const tokens = await reply(session.client.api.POST("/activate/{user_id}/{token}", { params: { path } }));
    await session.signInWith(tokens);
    route(paths.home, true);
  };
  return (
    <Card title={text.title}>
      <p>{text.intro}</p>
      <Form label={text.submit} busyLabel={text.busy} submit={activate} />
      <nav class="links">
        <a href={paths.signIn}>{strings.goBackToSignIn}</a>
      </nav>
    </Card>
  );
}
