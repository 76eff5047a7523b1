import { get, part } from "../api/http"
import type { MonitorEvent, Session } from "../api/types"
import { listen } from "../live/live"
import { Store } from "../lib/store"
import { activityAfter, type Activity } from "./activity"
import { sessions, sessionsLoaded } from "./sessions"

/** What each session does now. */
export const activities = new Store<ReadonlyMap<string, Activity>>(new Map())

/** How many running sessions are looked up one by one when the page opens. */
const lookedUp = 12
/** The events that tell what a session does, without those that hold outputs. */
const telling = ["tool_start", "prompt", "stop", "stop_failure", "subagent_start", "subagent_stop"].join(",")
/** The more sessions run, the longer is the pause, so that it costs about the same. */
const pauseMilliseconds = 1_800
const firstMilliseconds = 250
const longestMilliseconds = 15_000
const eventsOfEach = 3

const changed = new Set<string>()
/** The last event of each session that was looked at, by its `seq`. */
const appliedTo = new Map<string, number>()
/** How many calls each session had ended when its tool was seen to run. */
const endedCalls = new Map<string, number>()
let timer = 0
let readAt = -Infinity

export function startActivities(): void {
  listen({ row: received, reload: () => void readAll() })
  const stop = sessionsLoaded.watch(() => {
    stop()
    void readAll()
  })
}

function received(row: Session): void {
  const ended = endedCalls.get(row.id)
  if (ended !== undefined && (row.tool_call_count ?? 0) > ended) put(row.id, { ...activities.get().get(row.id)!, tool: undefined })
  changed.add(row.id)
  const running = [...sessions.get().values()].filter((session) => session.state === "running" && session.status !== "ended").length
  const pause = Math.min(longestMilliseconds, pauseMilliseconds * Math.max(1, running))
  const wait = Math.max(firstMilliseconds, readAt + pause - performance.now())
  if (!timer && document.visibilityState === "visible") timer = window.setTimeout(() => void readChanged(), wait)
}

/** One request for all sessions that have changed. */
async function readChanged(): Promise<void> {
  timer = 0
  readAt = performance.now()
  const ids = new Set(changed)
  changed.clear()
  const [only] = ids
  const query = { types: telling, order: "desc", limit: Math.min(60, eventsOfEach * ids.size), ...(ids.size === 1 ? { session_id: only } : {}) }
  const page = await get<{ events: MonitorEvent[] }>("/v1/events", query).catch(() => null)
  const found = new Map<string, MonitorEvent[]>()
  for (const event of page?.events.reverse() ?? []) {
    if (event.session_id) found.set(event.session_id, [...(found.get(event.session_id) ?? []), event])
  }
  for (const [id, events] of found) apply(id, events)
}

function apply(id: string, events: MonitorEvent[]): void {
  const known = activities.get().get(id)
  let next = known
  for (const event of events) {
    if (event.seq > (appliedTo.get(id) ?? 0)) next = activityAfter(next, event)
  }
  appliedTo.set(id, Math.max(appliedTo.get(id) ?? 0, ...events.map((event) => event.seq)))
  if (!next || next === known) return
  const session = sessions.get().get(id)
  const isNewest = session !== undefined && Date.parse(session.last_activity_at) <= Date.parse(next.at) + 20
  endedCalls.delete(id)
  if (next.tool !== undefined && isNewest) endedCalls.set(id, session.tool_call_count ?? 0)
  put(id, next.tool === undefined || isNewest ? next : { ...next, tool: undefined })
}

function put(id: string, activity: Activity): void {
  if (activity.tool === undefined) endedCalls.delete(id)
  activities.update((known) => new Map(known).set(id, activity))
}

async function readAll(): Promise<void> {
  const open = [...sessions.get().values()].filter((session) => session.status !== "ended")
  // Those that stopped by an error need a person, who is told why.
  const running = open.sort((one, other) => Number(other.state === "error") - Number(one.state === "error")).slice(0, lookedUp)
  for (const session of running) {
    if (activities.get().has(session.id)) continue
    const path = `/v1/sessions/${part(session.id)}/events`
    const page = await get<{ events: MonitorEvent[] }>(path, { limit: 12, order: "desc" }).catch(() => null)
    if (!page || activities.get().has(session.id)) continue
    let activity: Activity | undefined
    for (const event of page.events.reverse()) activity = activityAfter(activity, event)
    appliedTo.set(session.id, Math.max(0, ...page.events.map((event) => event.seq)))
    if (!activity) continue
    if (activity.tool !== undefined) endedCalls.set(session.id, sessions.get().get(session.id)?.tool_call_count ?? 0)
    put(session.id, activity)
  }
}
