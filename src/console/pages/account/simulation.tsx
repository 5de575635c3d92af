import { useSignal } from "@preact/signals";
import { ApiError } from "../../../client/api-error";
import type { operations } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { clock } from "../../format/time";
import { Confirm } from "../../parts/confirm";
import { Form } from "../../parts/form";
import { Failure, useLoaded } from "../../parts/loaded";
import { usePolling } from "../../parts/polling";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Section } from "./section";

const text = strings.account.simulation;

/** While the instance starts or stops, and while it runs and costs. */
const SOON_MS = 2_000;
const LATER_MS = 15_000;

/** The simulation instance: one machine for all users. */
export function SimulationPart() {
  const { api } = useSession().client;
  const specs = useLoaded(async () => (await reply(api.GET("/simulator/metadata"))).data);
  const status = useLoaded(async () => {
    try {
      return { instance: await reply(api.GET("/simulator/status")), refusal: "" };
    } catch (error) {
      // There is none, as in most installations, or its provider fails.
      if (error instanceof ApiError && error.status === 400) return { refusal: error.message };
      throw error;
    }
  });
  const { instance, refusal } = status.data.value ?? {};
  const said = useSignal("");
  const isStopping = useSignal(false);
  const state = instance?.state;
  const isChanging = state === "pending" || state === "stopping" || state === "shutting-down";
  usePolling(status.reload, state === undefined ? undefined : isChanging ? SOON_MS : LATER_MS);

  const close = () => {
    isStopping.value = false;
  };
  const start = async () => {
    said.value = (await reply(api.POST("/simulator/start"))).message;
    await status.reload();
  };
  const stop = async () => {
    said.value = (await reply(api.POST("/simulator/stop"))).message;
    close();
    await status.reload();
  };
  return (
    <Section title={text.title}>
      <p>{text.intro}</p>
      <Failure text={status.failure.value} retry={status.reload} />
      {refusal && <p class="quiet-text">{refusal}</p>}
      {instance && (
        <>
          <Facts status={instance} hourlyRate={specs.data.value?.hourly_rate} />
          <p role="status" class="notice" hidden={said.value === "" || state === "running"}>
            {said.value}
          </p>
          {/* Both are always there: one is never where the other was. */}
          <div class="beside">
            <Form
              label={text.start}
              busyLabel={text.starting}
              submit={start}
              isDisabled={state !== "stopped"}
            />
            <button
              type="button"
              class="deletes"
              disabled={state !== "running"}
              onClick={() => {
                isStopping.value = true;
              }}
            >
              {text.stop}
            </button>
          </div>
          {isStopping.value && (
            <Confirm
              title={text.stopTitle}
              label={text.stop}
              busyLabel={text.stopping}
              confirm={stop}
              onClose={close}
            >
              {text.stopText}
            </Confirm>
          )}
        </>
      )}
    </Section>
  );
}

type InstanceStatus = operations["getSimulatorStatus"]["responses"][200]["content"]["application/json"];

function Facts({ status, hourlyRate }: { status: InstanceStatus; hourlyRate: number | undefined }) {
  const { state, private_ip, public_ip, runtime_seconds, cost_estimate } = status;
  return (
    <dl class="fact-list">
      <dt>{text.state}</dt>
      <dd>{text.states[state]}</dd>
      <dt>{text.runs}</dt>
      <dd>{runtime_seconds === null ? "–" : clock(runtime_seconds)}</dd>
      <dt>{text.cost}</dt>
      <dd>{amount(cost_estimate?.total)}</dd>
      <dt>{text.hour}</dt>
      <dd>{amount(hourlyRate)}</dd>
      <dt>{text.address}</dt>
      <dd>{public_ip ?? private_ip ?? "–"}</dd>
    </dl>
  );
}

/** The API says no currency. */
const amount = (value: number | undefined): string =>
  value === undefined ? "–" : text.amount(value.toFixed(2));
