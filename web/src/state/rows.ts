import type { Session } from "../api/types"

/** What the list asks for of each session. */
export const listFields = [
  "title", "title_source", "machine_id", "machine_name", "project_id", "project_path", "status", "state", "waiting_for",
  "background", "stuck", "started_at", "last_activity_at", "ended_at", "message_count", "tool_call_count", "total_cost", "unpriced",
  "git_branch", "model", "accepts_messages", "completeness", "pinned", "archived", "last_seq",
] as const

/** What else the row of a session that changes holds. */
const rowFields = [...listFields, "state_since", "end_reason", "total_tokens", "usage_confidence", "permission_mode"] as const

/**
 * A session with what is new of it. A row has only some members: what is absent in it is no longer so, and the others stay.
 * The later event of the log decides, whichever answer came first.
 */
export function withRow(known: Session | undefined, row: Session, fields: readonly string[] = rowFields): Session {
  if (known && (known.last_seq ?? 0) > (row.last_seq ?? 0)) return known
  const kept: Record<string, unknown> = { ...known }
  for (const field of fields) delete kept[field]
  return named({ ...kept, ...row } as Session)
}

/** Rows have the newer of two names for some members. */
export function named(session: Session): Session {
  return { ...session, workspace_id: session.project_id ?? session.workspace_id, current_model: session.model ?? session.current_model }
}
