import { get, part, search, send } from "../api/http"
import type { Page, Session } from "../api/types"
import { readUsage, type UsageRow } from "../api/usage"
import { latestDays } from "../lib/days"
import { listFields, named } from "../state/rows"

/** A directory on a machine, or what a person made before any session was in it. */
export interface Project {
  id: string
  name: string
  description?: string
  path: string | null
  machine_name?: string
  updated_at: string
  session_count: number
  active_session_count: number
  settings?: ProjectSettings
}

/** What clients keep with a project. The server stores it and does not use it. */
export interface ProjectSettings {
  default_model?: string
  [other: string]: unknown
}

export interface ProjectChange {
  name?: string
  description?: string | null
  settings?: ProjectSettings | null
}

const perPage = 100

export interface ProjectPage {
  projects: Project[]
  next: string | null
}

export async function readProjects(cursor?: string | null): Promise<ProjectPage> {
  const page = await get<Page<Project>>("/v1/projects", { limit: perPage, cursor })
  return { projects: page.data, next: page.next_cursor ?? null }
}

export function readProject(id: string): Promise<Project> {
  return get<Project>("/v1/projects/" + part(id))
}

export function changeProject(id: string, change: ProjectChange): Promise<Project> {
  return send<Project>("PATCH", "/v1/projects/" + part(id), change)
}

export function makeProject(project: { name: string; description?: string; machine_id?: string; path?: string }): Promise<Project> {
  return send<Project>("POST", "/v1/projects", project)
}

export function hideProject(id: string): Promise<unknown> {
  return send("DELETE", "/v1/projects/" + part(id))
}

export function eraseProject(id: string): Promise<unknown> {
  return send("POST", "/v1/erase", { project_id: id })
}

/** What each project has used in the last seven days, by its id. */
export async function readWeek(): Promise<ReadonlyMap<string, UsageRow>> {
  const { rows } = await readUsage("project", latestDays(7)[0] ?? "")
  return new Map(rows.map((row) => [row.key, row]))
}

const shownSessions = 20

/** The sessions of a project that were active last, and how many there are. */
export async function readSessions(project: string): Promise<{ rows: Session[]; total: number }> {
  const page = await get<Page<Session>>("/v1/sessions", {
    project_id: project, sort: "activity", order: "desc", page: 1, per_page: shownSessions, fields: listFields.join(","),
  })
  return { rows: page.data.map(named), total: page.meta?.total ?? page.data.length }
}

/** The address of the table of all sessions of a project. */
export function sessionsLink(project: string): string {
  return "#/sessions" + search({ project })
}
