import { compact } from "../lib/time"
import { t } from "../words/words"
import type { TaskEnd } from "./model"

/** What Claude Code itself puts into a session in the place of a person's words. */
export interface Notice {
  /** `task`: a background agent or command; `client`: anything else. */
  word: "task" | "client"
  text: string
  /** The result, on demand. */
  more: string
}

const names = new Set([
  "task-notification", "system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-stdout",
  "bash-stderr", "tool_result", "tool_use_error", "function_results",
])

/** `null`: these are the person's own words. */
export function noticeOf(prompt: string): Notice | null {
  const found = elements(prompt)
  const first = found?.[0]
  if (!found || !first) return null
  if (first.name === "task-notification" && found.length === 1) return task(first.inside)
  const more = found.map((one) => one.inside.trim()).filter(Boolean).join("\n\n")
  return { word: "client", text: more.split("\n")[0] ?? "", more }
}

/** The elements that a text consists of; `null`: there is something beside them. */
function elements(text: string): { name: string; inside: string }[] | null {
  const found: { name: string; inside: string }[] = []
  for (let at = 0; ;) {
    at = text.length - text.slice(at).trimStart().length
    if (at === text.length) return found
    const name = /^<([a-z_-]+)(?: [^<>]*)?>/.exec(text.slice(at, at + 200))
    const end = name ? text.indexOf(`</${name[1]}>`, at) : -1
    const [opening, own] = [name?.[0] ?? "", name?.[1] ?? ""]
    if (end < 0 || !names.has(own)) return null
    found.push({ name: own, inside: text.slice(at + opening.length, end) })
    at = end + own.length + 3
  }
}

/** What a notice tells of the end of a background agent or command. */
export function taskEnd(prompt: string): TaskEnd | undefined {
  const id = prompt.includes("<task-notification>") ? member(prompt, "task-id") : ""
  if (!id) return undefined
  const [used, calls] = [Number(tokens(prompt)), Number(member(prompt, "tool_uses"))]
  return { id, result: member(prompt, "result"), ...(used ? { tokens: used } : {}), ...(calls ? { tools: calls } : {}) }
}

function task(inside: string): Notice {
  const facts = [
    member(inside, "tool_uses") && t("task.tools", { n: Number(member(inside, "tool_uses")) }),
    tokens(inside) && t("tool.tokens", { n: compact(Number(tokens(inside))) }),
  ]
  const summary = member(inside, "summary") || t("task.ended", { status: member(inside, "status") })
  return { word: "task", text: [quoted(summary), ...facts].filter(Boolean).join(" · "), more: member(inside, "result") }
}

function tokens(inside: string): string {
  return member(inside, "subagent_tokens") || member(inside, "total_tokens")
}

function quoted(text: string): string {
  return text.replace(/"([^"]*)"/g, "“$1”")
}

function member(text: string, name: string): string {
  return new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]?.trim() ?? ""
}
