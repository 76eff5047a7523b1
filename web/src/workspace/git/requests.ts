import { get, part, send, type Query } from "../../api/http"

/** Shapes of git's answers, as far as these views read them. */
export interface ChangedFile {
  path: string
  path_b64?: string
  old_path?: string
  status: string
  additions?: number
  deletions?: number
  is_binary?: boolean
  is_sensitive?: boolean
  conflict?: string
}

export interface Status {
  branch: string
  is_detached: boolean
  head: string
  upstream: string
  ahead: number
  behind: number
  staged: ChangedFile[]
  unstaged: ChangedFile[]
  untracked: ChangedFile[]
  conflicted: ChangedFile[]
  has_commits: boolean
  operation: string
  remotes: string[]
  is_trusted: boolean
  is_bare?: boolean
  is_truncated?: boolean
  repo_root: string
}

export interface Patch {
  path: string
  path_b64?: string
  old_path?: string
  diff: string
  status?: string
  is_new: boolean
  is_deleted?: boolean
  is_binary?: boolean
  is_sensitive?: boolean
  is_truncated: boolean
  old_mode?: string
  new_mode?: string
  base?: string
  target?: string
  additions?: number
  deletions?: number
  next_offset?: number
}

export interface LogEntry {
  sha: string
  short_sha: string
  subject: string
  author: string
  date: string
  is_merge: boolean
  refs: { name: string; type: "head" | "local_branch" | "remote_branch" | "tag" }[]
  graph_position?: GraphPosition
}

export interface GraphPosition {
  column: number
  lines: { from_column: number; to_column: number }[]
}

export interface Log {
  commits: LogEntry[]
  has_more: boolean
  max_columns?: number
}

export interface Commit extends LogEntry {
  body: string
  author_email: string
  diffs: Patch[]
  total_files: number
  is_truncated: boolean
}

export interface Branch {
  name: string
  is_current: boolean
  is_remote: boolean
  upstream?: string
  ahead?: number
  behind?: number
  is_gone?: boolean
}

export interface Branches {
  current: string
  is_detached: boolean
  branches: Branch[]
  is_truncated: boolean
}

export interface Stash {
  index: number
  sha: string
  date: string
  branch: string
  message: string
}

export interface Remote {
  name: string
  fetch_url: string
  push_url: string
  tracking_branches: string[]
}

export interface Worktree {
  path: string
  branch: string
  sha?: string
  is_current: boolean
  is_bare?: boolean
  is_locked?: boolean
}

/** What came of a change. */
export interface Done {
  success: boolean
  message?: string
  error?: string
  undo?: string
  conflicted_files?: string[]
  push_error?: string
  fetch_error?: string
  discarded?: string[]
}

const place = (project: string, verb: string) => `/v1/projects/${part(project)}/git/${verb}`

export function readGit<T>(project: string, verb: string, query: Query = {}): Promise<T> {
  return get<T>(place(project, verb), query)
}

export function changeGit(project: string, verb: string, body: Record<string, unknown>): Promise<Done> {
  return send<Done>("POST", place(project, verb), body)
}

/** The parameters that name a file. */
export function fileQuery(file: { path: string; path_b64?: string }): Record<string, string | undefined> {
  return file.path_b64 === undefined ? { path: file.path } : { path_b64: file.path_b64 }
}

/** The same for several files. */
export function filesBody(files: readonly { path: string; path_b64?: string }[]): Record<string, string[]> {
  const plain = files.filter((file) => file.path_b64 === undefined).map((file) => file.path)
  const bytes = files.flatMap((file) => file.path_b64 ?? [])
  return { ...(plain.length > 0 && { paths: plain }), ...(bytes.length > 0 && { paths_b64: bytes }) }
}
