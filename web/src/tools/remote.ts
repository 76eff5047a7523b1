import { get, part, send } from "../api/http"
import type { Page } from "../api/types"
import type { ToolServer } from "./requests"

/** The operator's login at a remote server. It has no tokens. */
export interface Connection {
  state: "connected" | "needs_login"
  reason?: string
  issuer: string
  scope?: string
  /** What the server wants beyond the scope. */
  wanted_scope?: string
  expires_at?: string
  connected_at: string
  refreshed_at?: string
}

/** The account of a program's user at a remote server. */
export interface Account {
  id: string
  server: string
  api_key: string
  user_id: string
  alias?: string
  status: string
  reason?: string
  expires_at?: string
  updated_at: string
}

export interface LoginLink {
  link_url: string
  expires_at: string
}

/** @param headers sent with each request; their values are never told again */
export function addServer(name: string, url: string, headers: Record<string, string>): Promise<ToolServer> {
  return send<ToolServer>("POST", "/v1/mcp/servers", { name, url, headers })
}

export function removeServer(id: string): Promise<unknown> {
  return send("DELETE", `/v1/mcp/servers/${part(id)}`)
}

/** Asks the server for its tools now. */
export function askServer(id: string): Promise<unknown> {
  return send("POST", "/v1/mcp/refresh", { server_id: id })
}

/** `null`: nobody has logged in. */
export async function readConnection(id: string): Promise<Connection | null> {
  try {
    return await get<Connection>(`/v1/mcp/servers/${part(id)}/connection`)
  } catch (fault) {
    if ((fault as { code?: string }).code === "not_connected") return null
    throw fault
  }
}

/** A link that works once, in any browser. */
export function makeLink(id: string): Promise<LoginLink> {
  return send<LoginLink>("POST", `/v1/mcp/servers/${part(id)}/link`)
}

export function disconnect(id: string): Promise<{ revoked: boolean }> {
  return send<{ revoked: boolean }>("DELETE", `/v1/mcp/servers/${part(id)}/connection`)
}

export interface AccountPage {
  accounts: Account[]
  next: string | null
}

export async function readAccounts(server: string, cursor: string | null): Promise<AccountPage> {
  const page = await get<Page<Account>>("/v1/mcp/accounts", { server_id: server, limit: 50, cursor })
  return { accounts: page.data, next: page.next_cursor ?? null }
}

export function removeAccount(id: string): Promise<{ revoked: boolean }> {
  return send<{ revoked: boolean }>("DELETE", `/v1/mcp/accounts/${part(id)}`)
}
