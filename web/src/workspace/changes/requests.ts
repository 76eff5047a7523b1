import { get, part } from "../../api/http"

/** Shapes of a session's change set, as far as the view reads them. */
export interface SessionFile {
  path: string
  path_b64?: string
  old_path?: string
  status: "added" | "modified" | "deleted" | "renamed"
  additions: number | null
  deletions: number | null
  binary: boolean
  old_mode: string | null
  new_mode: string | null
  by: "session" | "other" | "unknown"
  is_sensitive?: boolean
  is_submodule?: boolean
  is_unsaved?: boolean
  hunks?: string[]
  is_truncated?: boolean
  next_offset?: number | null
}

export interface SessionChanges {
  repo_root: string
  base: { taken_at: string; branch?: string | null } | null
  end: { taken_at: string; at: "now" | "stop" } | null
  complete: boolean
  reason: string | null
  totals: { files: number; additions: number; deletions: number }
  files: SessionFile[]
  has_more: boolean
  /** The machine's agent is away, and this is what it told last. */
  is_last_known?: boolean
  age_seconds?: number
  next_cursor: string | null
}

export const filesPerPage = 200

export function readChanges(session: string, cursor: string | null = null): Promise<SessionChanges> {
  return get<SessionChanges>(`/v1/sessions/${part(session)}/changes`, { limit: filesPerPage, cursor })
}

/** One file with its hunks. */
export function readChange(session: string, file: { path: string; path_b64?: string }, offset?: number): Promise<SessionChanges> {
  const name = file.path_b64 === undefined ? { path: file.path } : { path_b64: file.path_b64 }
  return get<SessionChanges>(`/v1/sessions/${part(session)}/changes`, { ...name, offset })
}
