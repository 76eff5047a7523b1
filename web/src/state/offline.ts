import type { Session } from "../api/types"
import { connection } from "../live/live"
import { Store } from "../lib/store"
import { forgetKeptStates } from "../lib/keptState"
import { forgetDrafts } from "./drafts"
import { forgetSearches } from "./recent"
import { sessions, sessionsLoaded, type SessionMap } from "./sessions"

const key = "monitor.last"
const most = 40
const pauseMilliseconds = 2_000

interface Kept {
  at: number
  sessions: Session[]
}

/** When what is shown was true, as long as the server has not said what is so now; in milliseconds since 1970. */
export const knownAt = new Store<number | null>(null)

/** What was last known, for the moment until the server answers, and without a network: names, states and times. */
export function startOffline(): void {
  let timer = 0
  const later = () => {
    if (connection.get() === "open" && sessionsLoaded.get()) knownAt.set(null)
    if (!timer) timer = window.setTimeout(() => {
      timer = 0
      if (sessionsLoaded.get() && connection.get() === "open") keep(sessions.get())
    }, pauseMilliseconds)
  }
  sessions.watch(later)
  sessionsLoaded.watch(later)
  connection.watch(later)
}

function keep(all: SessionMap): void {
  const latest = [...all.values()].filter((session) => !session.archived)
    .sort((one, other) => other.last_activity_at.localeCompare(one.last_activity_at))
  const kept: Kept = { at: Date.now(), sessions: latest.slice(0, most).map(outline) }
  localStorage.setItem(key, JSON.stringify(kept))
}

function outline(session: Session): Session {
  const { id, title, title_source, machine_id, machine_name, project_path, git_branch, status, state, waiting_for, started_at, last_activity_at,
    workspace_id, project_id, total_cost, pinned } = session
  return { id, title, title_source, machine_id, machine_name, project_path, git_branch, status, state, waiting_for, started_at, last_activity_at,
    workspace_id, project_id, total_cost, pinned }
}

/** Shows what was last known. Returns whether there is something. */
export function showLastKnown(): boolean {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "") as Kept
    sessions.set(new Map(kept.sessions.map((session) => [session.id, session])))
    knownAt.set(kept.at)
    return kept.sessions.length > 0
  } catch {
    return false
  }
}

export function forgetShown(): void {
  forgetDrafts()
  forgetKeptStates()
  forgetSearches()
  localStorage.removeItem(key)
  knownAt.set(null)
}
