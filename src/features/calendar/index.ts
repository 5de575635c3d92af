import type { Route } from "../../http/route";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import { calendarRoutes } from "./calendar.routes";
import { CalendarService } from "./calendar.service";

/** Planned flights, single ones and series. */
export function calendar({ db, clock }: { readonly db: Db; readonly clock: Clock }): {
  readonly routes: readonly Route[];
} {
  return { routes: calendarRoutes(new CalendarService(db, clock)) };
}
