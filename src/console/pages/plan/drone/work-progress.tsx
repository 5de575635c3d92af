import { OrderList } from "../../../orders/order-list";
import { HoldButton } from "../../../parts/hold-button";
import { Failure } from "../../../parts/loaded";
import { strings } from "../../../strings";
import type { DroneWork } from "./drone-work";

const text = strings.plan.drone;

interface WorkProgressProps {
  readonly work: DroneWork;
  /** Rows or vertices that are sent. */
  readonly count: number;
  readonly onForce: () => void;
  readonly forceHint: string;
}

/** What is under way, the orders with their outcomes, and the way to force one that was refused. */
export function WorkProgress({ work, count, onForce, forceHint }: WorkProgressProps) {
  const { busy, log, failure, mayForce } = work;
  const words = busy.value && { ...text.underWay, push: text.underWay.push(count) }[busy.value];
  return (
    <>
      <p role="status" class="transfer">
        {words && (
          <>
            <progress aria-label={words} /> {words}
          </>
        )}
      </p>
      <OrderList log={log} />
      <Failure text={failure.value} />
      {mayForce.value && !busy.value && (
        <div class="force">
          <p class="caution">{forceHint}</p>
          <HoldButton class="danger" onHeld={onForce}>
            {text.force}
          </HoldButton>
        </div>
      )}
    </>
  );
}
