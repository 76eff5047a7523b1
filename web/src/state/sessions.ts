import { get, part, type Query } from "../api/http"
import type { Page, Session } from "../api/types"
import { ApiError, asApiError } from "../api/errors"
import { listen } from "../live/live"
import { Retry } from "../live/retry"
import { route } from "../lib/route"
import { Store } from "../lib/store"
import { countAll } from "./counts"
import { needsAnswer, openPrompts, prompts } from "./prompts"
import { listFields, named, withRow } from "./rows"

export type SessionMap = ReadonlyMap<string, Session>

export const sessions = new Store<SessionMap>(new Map())
/** Whether the list is that of the server, not only the one that this browser kept. */
export const sessionsLoaded = new Store(false)
export const loadFault = new Store<ApiError | null>(null)

const listLimit = 200
const waitingLimit = 100
/** What has changed between the reading of the list and the connection is among the latest. */
const latestLimit = 20
/** A list of this age is read again when a person comes back to it: silence is no event. */
const oldMilliseconds = 5 * 60_000

let readAt = 0
const retry = new Retry()

export function startSessions(): void {
  listen({ row: received, reload: () => void loadSessions(), opened: (seq) => void topUp(seq) })
  prompts.watch(readAsking)
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && Date.now() - readAt > oldMilliseconds) void loadSessions()
  })
}

let reading: Promise<void> | null = null

/** Reads the whole list, once at a time. */
export function loadSessions(): Promise<void> {
  reading ??= readList().finally(() => {
    reading = null
  })
  return reading
}

async function readList(): Promise<void> {
  try {
    const page = await readPage({ limit: listLimit })
    const total = page.meta?.total ?? page.data.length
    const older = total > page.data.length ? await readWaiting() : []
    const isFirst = !sessionsLoaded.get()
    const open = openedSession()
    sessions.update((known) => {
      const next = new Map([...older, ...page.data].map((row) => [row.id, withRow(isFirst ? undefined : known.get(row.id), row, listFields)]))
      // A session that is looked at, or asks, may be older than all of the list.
      for (const id of [...asking(), ...(open === null ? [] : [open])]) {
        const shown = known.get(id)
        if (shown && !next.has(id)) next.set(id, shown)
      }
      for (const row of early.values()) next.set(row.id, withRow(next.get(row.id), row))
      return next
    })
    early.clear()
    readAt = Date.now()
    loadFault.set(null)
    retry.succeeded()
    retry.stop()
    countAll(total, page.data.length)
    sessionsLoaded.set(true)
    readAsking()
  } catch (fault) {
    const error = asApiError(fault)
    loadFault.set(error)
    if (error.isPassing) retry.later(() => void loadSessions())
  }
}

function readPage(query: Query): Promise<Page<Session>> {
  return get<Page<Session>>("/v1/sessions", { status: "all", fields: listFields.join(","), ...query })
}

/** All that wait for a person, however long ago they were active last. */
async function readWaiting(): Promise<Session[]> {
  const all: Session[] = []
  for (let cursor: string | null | undefined; ;) {
    const page = await readPage({ limit: waitingLimit, state: "waiting", cursor })
    all.push(...page.data)
    cursor = page.next_cursor
    if (!cursor) return all
  }
}

/** The sessions whose prompts wait for a person. */
function asking(): Set<string> {
  return new Set(openPrompts(prompts.get()).filter(needsAnswer).map((prompt) => prompt.session_id))
}

/** Those that are being read, and those that the server does not have any more. */
const lookedFor = new Set<string>()

/** Reads the sessions that ask and are not in the list: they may be older than all of it, or in the archive. */
function readAsking(): void {
  if (!sessionsLoaded.get()) return
  for (const id of asking()) {
    if (sessions.get().has(id) || lookedFor.has(id)) continue
    lookedFor.add(id)
    readSession(id).then((found) => {
      if (!found) return
      putSession(found)
      lookedFor.delete(id)
    }, (fault: unknown) => {
      lookedFor.delete(id)
      if (asApiError(fault).isPassing) retry.later(() => void loadSessions())
    })
  }
}

/** Reads what came between the reading of the list and the connection. */
async function topUp(seq: number): Promise<void> {
  await reading
  if (!sessionsLoaded.get()) return loadSessions()
  const newest = Math.max(0, ...[...sessions.get().values()].map((session) => session.last_seq ?? 0))
  if (newest >= seq) return
  const page = await readPage({ limit: latestLimit }).catch(() => null)
  if (!page) return
  sessions.update((known) => {
    const next = new Map(known)
    for (const row of page.data) next.set(row.id, withRow(known.get(row.id), row, listFields))
    return next
  })
}

/** Rows that came before the list. */
const early = new Map<string, Session>()

function received(row: Session): void {
  if (!sessionsLoaded.get()) early.set(row.id, row)
  else if (!sessions.get().has(row.id)) countAll(null, 1)
  sessions.update((all) => new Map(all).set(row.id, withRow(all.get(row.id), row)))
  if (row.id === openedSession()) readDetailLater(row.id)
}

/** The session that this tab shows. */
function openedSession(): string | null {
  const shown = route.get()
  return shown.view === "session" ? shown.id : null
}

const detailMilliseconds = 2_000
let detailTimer = 0

/** What only the view of a session shows is not in its row. */
function readDetailLater(id: string): void {
  if (!detailTimer) detailTimer = window.setTimeout(() => {
    detailTimer = 0
    if (openedSession() === id) void readSession(id).then((found) => found && putSession(found), () => undefined)
  }, detailMilliseconds)
}

export function putSession(session: Session): void {
  sessions.update((known) => new Map(known).set(session.id, session))
}

export function dropSession(id: string): void {
  sessions.update((known) => new Map([...known].filter(([key]) => key !== id)))
}

export async function readSession(id: string): Promise<Session | null> {
  try {
    return named(await get<Session>("/v1/sessions/" + part(id)))
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 404) return null
    throw fault
  }
}
