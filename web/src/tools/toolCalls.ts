import { get, part, send } from "../api/http"
import { readProjects, type Project } from "../projects/requests"
import type { Tool } from "./requests"

/** A call of a tool: it waits for a person, runs, or has ended. */
export interface ToolCall {
  call_id: string
  /** Absent in an answer that has the result. */
  status?: string
  is_error?: boolean
  content?: unknown[]
  structured_content?: unknown
  duration_ms?: number
  approved_by?: string
  /** Why there is no result. */
  error?: { code: string; message: string }
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

/** The projects in which the tool can be run: on its machine, where its server counts. */
export async function readPlaces(tool: Tool): Promise<Project[]> {
  const { projects } = await readProjects()
  return projects.filter((one) => one.path && one.machine_name === tool.machine_id && (!tool.project_path || one.path === tool.project_path))
}
