import { duration } from "../format/time";
import { now } from "../parts/now";
import { strings } from "../strings";
import type { LoggedOrder, OrderLog } from "./order-log";
import "./orders.css";

const text = strings.orders;

/** The orders with their outcomes. The newest is read out when it changes. */
export function OrderList({ log, count = 4 }: { log: OrderLog; count?: number }) {
  const shown = log.orders.value.slice(0, count);
  return (
    <div class="orders">
      <p role="status" class="visually-hidden">
        {shown[0] && `${shown[0].label}: ${text.outcomes[shown[0].outcome]}. ${shown[0].text}`}
      </p>
      <ol aria-label={text.title} hidden={shown.length === 0}>
        {shown.map((order) => (
          <Order key={order.id} order={order} />
        ))}
      </ol>
    </div>
  );
}

const Order = ({ order: { label, outcome, text: words, at } }: { order: LoggedOrder }) => (
  <li class={`order ${outcome}`}>
    <strong>{label}</strong> <span class="outcome">{text.outcomes[outcome]}</span>{" "}
    <time>{text.ago(duration(now.value - at))}</time>
    {words !== "" && <p>{words}</p>}
  </li>
);
