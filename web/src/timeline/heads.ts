import { shortPath } from "../lib/names"
import { oneLine } from "../lib/visible"
import { string, type ToolItem } from "./model"

export interface Head {
  /** What the call is for, in words. */
  words?: string
  /** Its command, file or pattern. */
  code?: string
}

/** The first thing to know about a call. */
export function headOf(item: ToolItem, root: string | undefined): Head {
  const { input, name } = item
  const path = string(input.file_path) ?? string(input.notebook_path) ?? string(input.path)
  const command = string(input.command)
  if (command !== undefined) return { words: string(input.description), code: command }
  if (string(input.pattern) !== undefined) {
    return { code: string(input.pattern), ...(path === undefined ? {} : { words: shortPath(path, root) }) }
  }
  if (path !== undefined && !name.startsWith("mcp__")) return { code: shortPath(path, root) }
  const code = string(input.url) ?? string(input.query)
  if (code !== undefined && !name.startsWith("mcp__")) return { code }
  return { words: string(input.description) ?? string(input.subject) ?? (parametersOf(item) || wordsOf(item)) }
}

/** `width: 3, name: two words`: the parameters of a call without a head of its own. */
export function parametersOf(item: ToolItem): string {
  const shown = (value: unknown) => oneLine(typeof value === "string" ? value : JSON.stringify(value) ?? "", 80)
  return Object.entries(item.input).map(([name, value]) => `${name}: ${shown(value)}`).join(", ")
}

/** The server's summary begins with the tool's name, which stands before it. */
function wordsOf(item: ToolItem): string {
  return item.summary.startsWith(item.name) ? item.summary.slice(item.name.length).replace(/^:?\s*/, "") : item.summary
}

/** How often which tools were called: `Read 3 · Edit`. */
export function toolsOf(calls: readonly ToolItem[], name: (item: ToolItem) => string): string {
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(name(call), (counts.get(name(call)) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([tool, count]) => count > 1 ? `${tool} ${count}` : tool).join(" · ")
}
