import { get, part } from "../api/http"
import type { MonitorEvent } from "../api/types"

const pageLimit = 200

export interface EventPage {
  events: MonitorEvent[]
  has_more?: boolean
}

/** A page of a session's events. */
export function readEvents(session: string, query: Record<string, string | number>): Promise<EventPage> {
  return get(`/v1/sessions/${part(session)}/events`, { limit: pageLimit, ...query })
}

/** The `seq` of the first or the last event of a session; 0: not known. */
export async function readEnd(session: string, order: "asc" | "desc"): Promise<number> {
  return (await readEvents(session, { order, limit: 1 }).catch(() => null))?.events[0]?.seq ?? 0
}
