import { reply } from "../../../client/client";
import { Confirm } from "../../parts/confirm";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { CalendarEvent } from "./states";

const text = strings.calendar.event;

interface DeleteEventProps {
  readonly event: CalendarEvent;
  readonly onDeleted: () => Promise<void>;
  readonly onClose: () => void;
}

export function DeleteEvent({ event, onDeleted, onClose }: DeleteEventProps) {
  const { api } = useSession().client;
  const isSeries = event.recurrence_rule !== null;
  const remove = async () => {
    const path = { event_id: event.id };
    await reply(api.DELETE("/calendar/events/{event_id}", { params: { path } }));
    await onDeleted();
  };
  const label = isSeries ? text.removeSeries : text.remove;
  return (
    <Confirm title={label} label={label} busyLabel={text.removing} confirm={remove} onClose={onClose}>
      {isSeries ? text.removeSeriesText(event.title) : text.removeText(event.title)}
    </Confirm>
  );
}
