import { reply } from "../../../client/client";
import { localTime } from "../../format/time";
import { Labelled } from "../../parts/labelled";
import { useLoaded } from "../../parts/loaded";
import { paths, pathTo } from "../../paths";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { CalendarEvent } from "./states";

const text = strings.calendar.event;

const DAY_MS = 86_400_000;
/** Of the drone's executions, those that the API gives at once. */
const LISTED = 100;

interface FlightRecordProps {
  readonly event: CalendarEvent;
  readonly onLink: (executionId: number | null) => void;
}

/** The execution that a planned flight became: a link to it, and the choice among the drone's of these days. */
export function FlightRecord({ event, onLink }: FlightRecordProps) {
  const { api } = useSession().client;
  const { drone_id, execution_id } = event;
  const at = Date.parse(event.scheduled_time);
  const isOver = at - DAY_MS < Date.now();
  const executions = useLoaded(async () => {
    if (!isOver) return [];
    const params = { path: { drone_id }, query: { limit: LISTED } };
    const { data } = await reply(api.GET("/executions/vehicle/{drone_id}", { params }));
    return data.executions.filter(
      ({ id, started_at }) => id === execution_id || Math.abs(Date.parse(started_at) - at) < DAY_MS,
    );
  }, [drone_id, at]);
  const found = executions.data.value ?? [];
  if (found.length === 0 && execution_id === null) return null;
  return (
    <div class="record-link">
      {execution_id !== null && <a href={pathTo(paths.flight, execution_id)}>{text.showRecord}</a>}
      <Labelled label={text.linkRecord}>
        {(field) => (
          <select
            {...field}
            value={execution_id ?? ""}
            onChange={({ currentTarget: { value } }) => onLink(value === "" ? null : Number(value))}
          >
            <option value="">{text.noRecord}</option>
            {found.map(({ id, started_at, mission_name }) => (
              <option key={id} value={id}>
                {[localTime(started_at), mission_name].filter(Boolean).join(" · ")}
              </option>
            ))}
          </select>
        )}
      </Labelled>
    </div>
  );
}
