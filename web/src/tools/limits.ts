import type { SessionLimits, Tool, ToolServer } from "./requests"

/** The servers that Claude Code has in a session's directory, each with the tools that are known of it. */
export interface SessionServer {
  name: string
  tools: readonly string[]
  /** Whether the server may have tools that are not known here. */
  isComplete: boolean
}

/** What is switched off: servers by their names, and tools as `server.tool`. */
export interface Switches {
  servers: ReadonlySet<string>
  tools: ReadonlySet<string>
}

/** A request names no more. */
export const mostNames = 256

export const nameOf = (server: SessionServer, tool: string) => `${server.name}.${tool}`

/** Claude Code takes one server of a name. The registry can have several, from several scopes. */
export function serversOf(servers: readonly ToolServer[], tools: readonly Tool[]): SessionServer[] {
  const names = [...new Set(servers.map((one) => one.name))].sort((one, other) => one.localeCompare(other))
  return names.map((name) => ({
    name,
    tools: [...new Set(tools.filter((one) => one.server === name).map((one) => one.tool))].sort(),
    isComplete: servers.every((one) => one.name !== name || one.is_complete),
  }))
}

/** What the stored lists switch off. */
export function switchesOf(limits: SessionLimits, servers: readonly SessionServer[]): Switches {
  const { enabled_servers: enabledServers, enabled_tools: enabledTools } = limits
  const listed = enabledTools && new Set(enabledTools)
  const isOn = (server: SessionServer, tool: string) => !listed
    || [nameOf(server, tool), `${server.name}__${tool}`, `mcp__${server.name}__${tool}`].some((name) => listed.has(name))
  const off = new Set<string>()
  const offServers = new Set<string>()
  for (const server of servers) {
    const on = server.tools.filter((tool) => isOn(server, tool))
    // Without a tool, the server is denied as a whole.
    if (enabledServers?.includes(server.name) === false || (listed && on.length === 0)) offServers.add(server.name)
    else server.tools.filter((tool) => !on.includes(tool)).forEach((tool) => off.add(nameOf(server, tool)))
  }
  return { servers: offServers, tools: off }
}

/** The lists that switch this off. A list that leaves all is `null`, so that later servers and tools are left as well. */
export function listsOf(switches: Switches, servers: readonly SessionServer[]): Pick<SessionLimits, "enabled_servers" | "enabled_tools"> {
  const on = servers.filter((one) => !switches.servers.has(one.name))
  const all = on.flatMap((server) => server.tools.map((tool) => nameOf(server, tool)))
  const left = all.filter((name) => !switches.tools.has(name))
  return {
    enabled_servers: on.length === servers.length ? null : on.map((one) => one.name),
    enabled_tools: left.length === all.length ? null : left,
  }
}

/** Servers that lose tools that nobody can name here, because a single tool is switched off somewhere. */
export function losesUnknown(switches: Switches, servers: readonly SessionServer[]): SessionServer[] {
  if (listsOf(switches, servers).enabled_tools === null) return []
  return servers.filter((one) => !one.isComplete && !switches.servers.has(one.name))
}

export function toggled(all: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(all)
  if (!next.delete(name)) next.add(name)
  return next
}
