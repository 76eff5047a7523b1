import { compact } from "../lib/time"
import { t } from "../words/words"

/** What Claude Code itself puts into a session in the place of a person's words. */
export interface Notice {
  /** `task`: a background agent or command; `client`: anything else. */
  word: "task" | "client"
  text: string
  /** The result, on demand. */
  more: string
}

const names = "task-notification|system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|bash-stdout|bash-stderr"
const whole = new RegExp(`^\\s*<(${names})>([\\s\\S]*?)</\\1>\\s*$`)

/** `null`: these are the person's own words. */
export function noticeOf(prompt: string): Notice | null {
  const found = whole.exec(prompt)
  if (!found) return null
  const inside = found[2] ?? ""
  if (found[1] === "task-notification") return task(inside)
  return { word: "client", text: inside.trim().split("\n")[0] ?? "", more: inside.trim() }
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
