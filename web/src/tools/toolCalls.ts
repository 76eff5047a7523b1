import { get, part, send } from "../api/http"
import type { Page } from "../api/types"
import { readProjects, type Project } from "../projects/requests"
import type { Tool } from "./requests"

/** A call of a tool: it waits for a person, runs, or has ended. */
export interface ToolCall {
  call_id: string
  /** Absent in an answer that has the result. */
  status?: string
  machine_id?: string
  is_error?: boolean
  content?: unknown[]
  structured_content?: unknown
  duration_ms?: number
  approved_by?: string
  /** Why there is no result. */
  error?: { code: string; message: string }
}

/** A call in the list: without the result. */
export interface ListedCall extends ToolCall {
  status: string
  /** `server.tool`. */
  tool: string
  server_id: string
  machine_id: string
  /** Absent: a process that only runs tools makes the call. */
  session_id?: string
  /** `device:3`, `api_key:2` or `admin`. */
  caller: string
  caller_name?: string
  created_at: string
  ended_at?: string
  prompt_id?: string
  result_bytes?: number
}

const waitSeconds = 300

/** Runs a tool in the directory of a project, once a person has approved it. Answers when it has ended, or after some minutes. */
export function runTool(tool: Tool, project: string, given: Record<string, unknown>): Promise<ToolCall> {
  return send<ToolCall>("POST", `/v1/tools/${part(`${tool.server_id}.${tool.tool}`)}/execute`, { project_id: project, arguments: given, wait: waitSeconds })
}

export function readCall(id: string): Promise<ToolCall> {
  return get<ToolCall>("/v1/tools/calls/" + part(id))
}

export function isOpen(call: ToolCall): boolean {
  return call.status === "waiting" || call.status === "running"
}

export interface CallsAsked {
  machine?: string
  session?: string
  status?: string
}

const perPage = 50

/** Calls, the latest first. */
export async function readCalls({ machine, session, status }: CallsAsked, cursor?: string | null): Promise<{ calls: ListedCall[]; next: string | null }> {
  const page = await get<Page<ListedCall>>("/v1/tools/calls", { machine_id: machine, session_id: session, status, limit: perPage, cursor })
  return { calls: page.data, next: page.next_cursor ?? null }
}

/** The calls of one tool, or of all tools of a server. */
export interface CallSum {
  server_id: string
  server: string
  machine_id: string
  /** `server.tool`; absent for a server. */
  tool?: string
  calls: number
  succeeded: number
  failed: number
  not_run: number
  unknown: number
  duration_ms_average?: number
  last_call_at: string
}

export type SumsBy = "tool" | "server"

export async function readSums(machine: string | undefined, by: SumsBy): Promise<CallSum[]> {
  return (await get<Page<CallSum>>("/v1/tools/usage", { machine_id: machine, by })).data
}

/** The projects in which the tool can be run: on its machine, where its server counts. */
export async function readPlaces(tool: Tool): Promise<Project[]> {
  const { projects } = await readProjects()
  return projects.filter((one) => one.path && one.machine_name === tool.machine_id && (!tool.project_path || one.path === tool.project_path))
}
