import { get } from "../api/http"
import { part } from "../api/http"
import type { MonitorEvent, Page, Session } from "../api/types"
import { ApiError } from "../api/errors"
import { listen } from "../live/live"
import { Store } from "../lib/store"
import { activityAfter, type Activity } from "./activity"

export type SessionMap = ReadonlyMap<string, Session>

export const sessions = new Store<SessionMap>(new Map())
/** What each session does now, by events that have come since this page was opened. */
export const activities = new Store<ReadonlyMap<string, Activity>>(new Map())
export const sessionsLoaded = new Store(false)
export const loadFault = new Store<ApiError | null>(null)

/** More than this many changed sessions are read as one list. */
const singly = 4
const pauseMilliseconds = 400
/** Between two readings while events come without a pause. */
const busyMilliseconds = 1_000
const listLimit = 200

const changed = new Set<string>()
let timer = 0
let refreshedAt = 0

export function startSessions(): void {
  listen({ event: received, reload: () => void loadSessions() })
}

export async function loadSessions(): Promise<void> {
  const asked = ++questions
  try {
    const page = await get<Page<Session>>("/v1/sessions", { limit: listLimit, status: "all" })
    sessions.update((known) => new Map(page.data.map((session) => [session.id, later(known.get(session.id), session, asked)])))
    loadFault.set(null)
    sessionsLoaded.set(true)
    void readActivities(page.data)
  } catch (fault) {
    if (fault instanceof ApiError) loadFault.set(fault)
  }
}

function received(event: MonitorEvent): void {
  if (!event.session_id) return
  const next = activityAfter(activities.get().get(event.session_id), event)
  if (next !== activities.get().get(event.session_id)) {
    activities.update((all) => new Map(all).set(event.session_id as string, next))
  }
  changed.add(event.session_id)
  const pause = performance.now() - refreshedAt < 2 * busyMilliseconds ? busyMilliseconds : pauseMilliseconds
  if (!timer) timer = window.setTimeout(() => void refreshChanged(), pause)
}

/** The server derives sessions from events; this page asks it instead of doing the same again. */
async function refreshChanged(): Promise<void> {
  const ids = [...changed]
  changed.clear()
  refreshedAt = performance.now()
  const asked = ++questions
  try {
    const read = ids.length > singly ? await recent() : await Promise.all(ids.map(readSession))
    sessions.update((all) => {
      const next = new Map(all)
      for (const session of read) if (session) next.set(session.id, later(all.get(session.id), session, asked))
      return next
    })
  } catch {
    for (const id of ids) changed.add(id)
  }
  timer = changed.size > 0 ? window.setTimeout(() => void refreshChanged(), 4 * pauseMilliseconds) : 0
}

let questions = 0
/** For each session, the number of the question whose answer is shown. */
const shownOf = new Map<string, number>()

/** A slow answer may be older than that to a later question. */
function later(known: Session | undefined, read: Session, asked: number): Session {
  if (known && (shownOf.get(read.id) ?? 0) > asked) return known
  shownOf.set(read.id, asked)
  return read
}

async function recent(): Promise<Session[]> {
  return (await get<Page<Session>>("/v1/sessions", { limit: listLimit, status: "all" })).data
}

export async function readSession(id: string): Promise<Session | null> {
  try {
    return await get<Session>("/v1/sessions/" + part(id))
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 404) return null
    throw fault
  }
}

/** How many running sessions are looked up for what they do now. */
const lookedUp = 12

async function readActivities(all: Session[]): Promise<void> {
  const running = all.filter((session) => session.status !== "ended").slice(0, lookedUp)
  for (const session of running) {
    if (activities.get().has(session.id)) continue
    const path = `/v1/sessions/${part(session.id)}/events`
    const page = await get<{ events: MonitorEvent[] }>(path, { limit: 12, order: "desc" }).catch(() => null)
    if (!page || activities.get().has(session.id)) continue
    let activity: Activity | undefined
    for (const event of page.events.reverse()) activity = activityAfter(activity, event)
    if (activity) activities.update((known) => new Map(known).set(session.id, activity as Activity))
  }
}
