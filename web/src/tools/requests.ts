import { get, part, send } from "../api/http"
import type { Page } from "../api/types"
import type { ToolsAddress } from "./address"

/** An MCP server of a machine, as the machine's agent told it last. */
export interface ToolServer {
  id: string
  name: string
  scope: string
  /** `null`: the monitor itself calls it. */
  machine_id: string | null
  /** `null`: it counts in all directories. */
  project_path: string | null
  transport: string
  state: string
  reason?: string
  tool_count: number
  changed_count: number
  is_complete: boolean
  refreshed_at: string
  /** Only of a server that the monitor itself calls. */
  url?: string
  header_names?: string[]
}

/** What a server says of a tool. */
export interface Definition {
  title?: string
  description: string
  /** The JSON Schema of the arguments. */
  parameters: unknown
  output_schema?: unknown
  annotations?: unknown
  digest: string
}

export interface Tool extends Definition {
  name: string
  tool: string
  server: string
  server_id: string
  machine_id: string | null
  project_path: string | null
  claude_name: string
  state: "ready" | "changed" | "unlisted"
  /** What the server says now, where that is not what is pinned. */
  offered?: Definition
  created_at: string
  changed_at?: string
  accepted_by?: string
  accepted_at?: string
}

type Where = Pick<ToolsAddress, "machine" | "project">

const placeOf = ({ machine, project }: Where) => project ? { project_id: project } : { machine_id: machine }

export async function readServers(where: Where): Promise<ToolServer[]> {
  return (await get<Page<ToolServer>>("/v1/mcp/servers", placeOf(where))).data
}

export function readServer(id: string): Promise<ToolServer> {
  return get<ToolServer>("/v1/mcp/servers/" + part(id))
}

export async function readTools(id: string): Promise<Tool[]> {
  return (await get<Page<Tool>>(`/v1/mcp/servers/${part(id)}/tools`)).data
}

const perPage = 50

export interface ToolPage {
  tools: Tool[]
  next: string | null
}

export async function findTools(where: Where, text: string, cursor: string | null, signal?: AbortSignal): Promise<ToolPage> {
  const page = await get<Page<Tool>>("/v1/tools", { ...placeOf(where), q: text, limit: perPage, cursor }, signal)
  return { tools: page.data, next: page.next_cursor ?? null }
}

/** Servers whose changed tools are named at once; the others are counted. */
const mostNamed = 10

/** The tools of these servers that wait for a person. */
export async function readChanged(servers: readonly ToolServer[]): Promise<Tool[]> {
  const some = servers.filter((one) => one.changed_count > 0).slice(0, mostNamed)
  return (await Promise.all(some.map((one) => readTools(one.id)))).flat().filter((one) => one.offered)
}

/** Has the machine tell which servers a project's directory has. It starts them for that. */
export async function refresh(project: string): Promise<ToolServer[]> {
  return (await send<Page<ToolServer>>("POST", "/v1/mcp/refresh", { project_id: project })).data
}

/** @param digest of the definition that the person has seen: the server refuses any other */
export function accept(tool: Tool, digest: string): Promise<Tool> {
  return send<Tool>("POST", `/v1/mcp/servers/${part(tool.server_id)}/tools/${part(tool.tool)}/accept`, { digest })
}

/** The MCP servers and tools that a session is left with; `null` leaves all. */
export interface SessionLimits {
  session_id: string
  enabled_servers: string[] | null
  enabled_tools: string[] | null
  priority: string[] | null
  /** The rules by which the session's process denies the others. */
  denied: string[]
  set_by?: string
  set_at?: string
}

export function readLimits(session: string): Promise<SessionLimits> {
  return get<SessionLimits>(`/v1/sessions/${part(session)}/tools`)
}

export function setLimits(session: string, limits: Partial<Pick<SessionLimits, "enabled_servers" | "enabled_tools" | "priority">>): Promise<SessionLimits> {
  return send<SessionLimits>("POST", `/v1/sessions/${part(session)}/tools`, limits)
}

export async function readServersOf(session: string): Promise<ToolServer[]> {
  return (await get<Page<ToolServer>>("/v1/mcp/servers", { session_id: session })).data
}

const [mostOnPage, mostPages] = [200, 10]

/** The tools that Claude Code may have in a session. */
export async function readToolsOf(session: string): Promise<Tool[]> {
  const all: Tool[] = []
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page += 1) {
    const found: Page<Tool> = await get<Page<Tool>>("/v1/tools", { session_id: session, limit: mostOnPage, cursor })
    all.push(...found.data)
    cursor = found.next_cursor ?? null
    if (!cursor) break
  }
  return all
}
