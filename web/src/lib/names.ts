/** A path as a person reads it: from the session's directory, or from the home directory. */
export function shortPath(path: string, root: string | undefined): string {
  for (const separator of ["/", "\\"]) {
    if (root && path.startsWith(root.replace(/[\\/]+$/, "") + separator)) return path.slice(root.replace(/[\\/]+$/, "").length + 1)
  }
  return path === root ? "." : path.replace(/^\/(home|Users)\/[^/]+\//, "~/")
}

/** `Opus 5.5` for `claude-opus-5-5-20260901`. */
export function modelName(model: string): string {
  const found = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?(\[1m\])?$/.exec(model)
  if (!found) return model
  const [, family = "", major = "", minor, large] = found
  return family[0]!.toUpperCase() + family.slice(1) + " " + major + (minor ? "." + minor : "") + (large ? " 1M" : "")
}

/** The server and the tool in the name of a tool of an MCP server. */
export function toolName(name: string): { server?: string; tool: string } {
  const found = /^mcp__(.+?)__(.+)$/.exec(name)
  return found ? { server: found[1], tool: found[2]! } : { tool: name }
}
