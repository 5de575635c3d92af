import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { reply } from "../../../client/client";
import { Confirm } from "../../parts/confirm";
import { paths } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Execution } from "./flight-data";

const text = strings.flights.remove;

/** Deletes the flight after a question, and goes to the list. */
export function Remove({ flight: { id, status } }: { flight: Execution }) {
  const { api } = useSession().client;
  const { route } = useLocation();
  const isAsking = useSignal(false);
  const ask = (isOpen: boolean) => () => {
    isAsking.value = isOpen;
  };
  return (
    <>
      <button type="button" class="danger" onClick={ask(true)}>
        {text.open}
      </button>
      {isAsking.value && (
        <Confirm
          title={text.title(id)}
          label={text.confirm}
          busyLabel={text.busy}
          onClose={ask(false)}
          confirm={async () => {
            const path = { execution_id: id };
            await reply(api.DELETE("/executions/{execution_id}", { params: { path } }));
            route(paths.flights, true);
          }}
        >
          {status === "in_progress" ? `${text.text} ${text.running}` : text.text}
        </Confirm>
      )}
    </>
  );
}
