import { useSignal } from "@preact/signals";
import { reply } from "../../../client/client";
import { localTime } from "../../format/time";
import { EmailField } from "../../parts/fields";
import { Form } from "../../parts/form";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Execution } from "./flight-data";

const text = strings.flights.report;

/** Whether the report was mailed, and a form that mails it to anybody. */
export function Report({ flight }: { flight: Execution }) {
  const session = useSession();
  const sent = useSignal("");
  return (
    <>
      <p>{stateOf(flight)}</p>
      <Form
        label={text.send}
        busyLabel={text.sending}
        submit={async ({ email = "" }) => {
          sent.value = "";
          await reply(
            session.client.api.POST("/executions/{execution_id}/send-report", {
              params: { path: { execution_id: flight.id } },
              body: { email },
            }),
          );
          sent.value = text.sent(email);
        }}
      >
        <EmailField value={session.user.value?.username} />
      </Form>
      <p role="status" class="notice" hidden={sent.value === ""}>
        {sent.value}
      </p>
    </>
  );
}

function stateOf({ report, report_sent_at, report_reason }: Execution): string {
  const state = report === "sent" ? text.states.sent(localTime(report_sent_at ?? "")) : text.states[report];
  return report_reason ? `${state} ${report_reason}` : state;
}
