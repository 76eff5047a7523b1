import type { Prompt, Session } from "../api/types"
import type { MarkKind } from "../parts/Mark"
import { lastActive } from "./machines"
import { needsAnswer, type PromptMap } from "./prompts"
import type { Seen } from "./seen"
import type { SessionMap } from "./sessions"

/** The groups of the list, in their order: what needs you comes first. */
export const groupNames = ["needs", "working", "done", "idle", "ended"] as const
export type GroupName = (typeof groupNames)[number]

export interface Entry {
  session: Session
  group: GroupName
  prompts: Prompt[]
  /** What the session says that it waits for, where it asks nothing that could be answered here. */
  notice?: string
  /** The prompts that were answered while a person works beside them: their cards keep their places. */
  keeps?: readonly string[]
}

export function sessionName(session: Session): string {
  return projectName(session) || session.name || session.title || session.id
}

export function projectName(session: Session): string {
  return (session.project_path ?? "").split(/[\\/]/).filter(Boolean).pop() ?? ""
}

export function entries(all: SessionMap, prompts: PromptMap, seen: Seen): Entry[] {
  const bySession = new Map<string, Prompt[]>()
  const notices = new Map<string, string>()
  for (const prompt of prompts.values()) {
    if (prompt.kind === "input") {
      if (prompt.state === "open") notices.set(prompt.session_id, prompt.question ?? prompt.detail ?? "")
      continue
    }
    bySession.set(prompt.session_id, [...(bySession.get(prompt.session_id) ?? []), prompt])
  }
  return [...all.values()].map((session) => {
    const own = (bySession.get(session.id) ?? []).sort((one, other) => one.opened_at.localeCompare(other.opened_at))
    return { session, prompts: own, group: groupOf(session, own, seen), notice: notices.get(session.id) }
  })
}

function groupOf(session: Session, prompts: Prompt[], seen: Seen): GroupName {
  if (prompts.some(needsAnswer)) return "needs"
  const isWaiting = session.status !== "ended" && session.waiting_for !== undefined && session.state === "waiting"
  // Once it is answered a session goes on, although nothing of it may have been heard yet.
  if (prompts.some((prompt) => prompt.state === "answered") && (isWaiting || session.state === "running")) return "working"
  if (isWaiting) return "needs"
  if (isWorking(session)) return "working"
  if (isFailed(session, seen)) return "needs"
  const isNews = lastActive(session) > (seen.sessions[session.id] ?? seen.all) && (session.message_count ?? 0) > 0
  if (isNews) return "done"
  return session.status === "ended" ? "ended" : "idle"
}

/** A failure is old after a day. */
const failureMilliseconds = 24 * 3_600_000

/** A turn ended by an error or a limit, and the person has not looked at the session since. */
function isFailed(session: Session, seen: Seen): boolean {
  const at = lastActive(session)
  if (session.status === "ended" || session.state !== "error" || Date.now() - at > failureMilliseconds) return false
  return at > (seen.sessions[session.id] ?? seen.dismissed ?? 0)
}

/** Whether the session is among those that need a person because its turn failed. */
export function hasFailed(entry: Entry): boolean {
  return entry.group === "needs" && entry.session.state === "error" && !entry.prompts.some(needsAnswer)
}

/** A tool may be silent for long; the server calls a session idle after five minutes without an event. */
const longestSilence = 30 * 60_000

function isWorking(session: Session): boolean {
  if (session.status === "ended" || session.state !== "running") return false
  return session.status === "active" || Date.now() - lastActive(session) < longestSilence
}

export function markOf(entry: Entry): MarkKind {
  if (hasFailed(entry)) return "bad"
  if (entry.group === "needs") return "wait"
  if (entry.session.state === "error" || entry.session.stuck) return "bad"
  if (entry.group === "working") return "work"
  return entry.group === "done" ? "done" : "idle"
}

/** Newest activity first, except for those that wait: the one that has waited longest is first; and those that are stuck. */
export function inOrder(one: Entry, other: Entry): number {
  const waits = (entry: Entry) => entry.prompts[0]?.opened_at ?? entry.session.waiting_for?.since ?? ""
  if (one.group === "needs" && other.group === "needs" && hasFailed(one) !== hasFailed(other)) return hasFailed(one) ? 1 : -1
  if (one.group === "needs" && other.group === "needs" && !hasFailed(one)) return waits(one).localeCompare(waits(other))
  if (one.group === "working" && other.group === "working") {
    if (Boolean(one.session.stuck) !== Boolean(other.session.stuck)) return one.session.stuck ? -1 : 1
    return one.session.started_at.localeCompare(other.session.started_at)
  }
  return lastActive(other.session) - lastActive(one.session)
}
