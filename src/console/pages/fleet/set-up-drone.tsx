import { useComputed, useSignalEffect } from "@preact/signals";
import { CopyText } from "../../parts/copy-text";
import { Dialog } from "../../parts/dialog";
import { paths, pathTo } from "../../paths";
import { strings } from "../../strings";
import { hasLink } from "./drone-status";
import type { Drone, FleetModel } from "./fleet-model";
import { useTunnel } from "./use-tunnel";

const text = strings.fleet.setUpDialog;

interface SetUpDroneProps {
  readonly fleet: FleetModel;
  readonly drone: Drone;
  readonly onClose: () => void;
}

/** What a physical drone's computer is to run, and how far it is. */
export function SetUpDrone({ fleet, drone: { id, name }, onClose }: SetUpDroneProps) {
  const token = fleet.activationTokens.get(id);
  const isUp = useTunnel(id, 3_000);
  const isLinked = useComputed(() => hasLink(fleet.statusOf(id))).value;
  // It is dialled at once when its computer comes, and not when the gateway tries again by itself.
  useSignalEffect(() => {
    if (isUp.value) fleet.links.keep(id);
  });
  return (
    <Dialog title={text.title(name)} onClose={onClose}>
      <div class="set-up">
        {token ? (
          <>
            <p>{text.intro}</p>
            <CopyText label={text.command} text={setUpCommand(token)} />
            <p>
              {text.token} <code>{token}</code>. {text.tokenOnce}
            </p>
          </>
        ) : (
          <>
            <p>{text.tokenGone}</p>
            <CopyText label={text.command} text={`admin reissue-activation --drone ${id}`} rows={1} />
          </>
        )}
        <h3>{text.steps}</h3>
        <ul class="steps" aria-live="polite">
          <Step label={text.computer} isDone={isUp.value === true} />
          <Step label={text.autopilot} isDone={isLinked} />
        </ul>
        {isLinked && (
          <a class="button primary" href={pathTo(paths.fly, id)}>
            {strings.fleet.fly}
          </a>
        )}
      </div>
    </Dialog>
  );
}

const Step = ({ label, isDone }: { label: string; isDone: boolean }) => (
  <li class={isDone ? "done" : ""}>
    {label}: <strong>{isDone ? text.done : text.waiting}</strong>
  </li>
);

/** Run on the drone's computer. The gateway serves the script that does it. */
const setUpCommand = (token: string): string =>
  `curl -fsS ${location.origin}/api/v1/drone/setup | sudo bash -s -- ${location.origin} ${token}`;
