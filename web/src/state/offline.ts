import type { Session } from "../api/types"
import { connection } from "../live/live"
import { sessions, sessionsLoaded, type SessionMap } from "./sessions"

const key = "monitor.last"
const most = 40
const pauseMilliseconds = 2_000

interface Kept {
  at: number
  sessions: Session[]
}

/**
 * What was last known, for an app that is opened without a network: names, states and times of the latest sessions;
 * nothing of what was said.
 */
export function startOffline(): void {
  let timer = 0
  sessions.watch(() => {
    if (timer) return
    timer = window.setTimeout(() => {
      timer = 0
      if (sessionsLoaded.get() && connection.get() === "open") keep(sessions.get())
    }, pauseMilliseconds)
  })
}

function keep(all: SessionMap): void {
  const latest = [...all.values()].sort((one, other) => other.last_activity_at.localeCompare(one.last_activity_at))
  const kept: Kept = { at: Date.now(), sessions: latest.slice(0, most).map(outline) }
  localStorage.setItem(key, JSON.stringify(kept))
}

function outline(session: Session): Session {
  const { id, machine_id, machine_name, project_path, status, state, waiting_for, started_at, last_activity_at, workspace_id } = session
  return { id, machine_id, machine_name, project_path, status, state, waiting_for, started_at, last_activity_at, workspace_id }
}

/** Shows what was last known. Returns its time, or `null` if nothing is known. */
export function showLastKnown(): number | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "") as Kept
    sessions.set(new Map(kept.sessions.map((session) => [session.id, session])))
    return kept.at
  } catch {
    return null
  }
}

export function forgetShown(): void {
  localStorage.removeItem(key)
}
