import { search, type Query } from "../api/http"

export type WorkspaceView = "files" | "git" | "changes"

/** The address of a view of a project, or of a session's changes. */
export function workspaceLink(view: WorkspaceView, id: string, query: Query = {}): string {
  return `#/${view}/${encodeURIComponent(id)}${search(query)}`
}

/** Puts what is shown into the address, without a new entry in the history. */
export function replaceAddress(hash: string): void {
  history.replaceState(history.state, "", hash)
}
