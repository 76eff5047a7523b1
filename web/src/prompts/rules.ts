import type { Prompt } from "../api/types"
import { textOf } from "./describe"

/** A rule that an answer can add, as Claude Code writes it. */
export interface Rule {
  text: string
  /** For exactly this call; else what Claude Code suggests, which may allow more. */
  isExact: boolean
}

interface Suggestion {
  type?: string
  behavior?: string
  destination?: string
  rules?: { toolName?: string; ruleContent?: string }[]
}

/** The rule that "Always allow" adds; `null` if Claude Code has none for this call. docs/prompts.md says which calls have one. */
export function ruleOf(prompt: Prompt): Rule | null {
  const exact = exactRule(prompt)
  if (exact) return { text: exact, isExact: true }
  const rules = (prompt.suggestions as (Suggestion | null)[] ?? []).flatMap((one) =>
    one?.type === "addRules" && one.behavior === "allow" && one.destination === "localSettings" ? one.rules ?? [] : [])
  if (rules.length === 0) return null
  const text = rules.map((one) => one.ruleContent ? `${one.toolName}(${one.ruleContent})` : one.toolName ?? "").join("\n")
  return { text, isExact: false }
}

function exactRule({ tool_name: tool = "", tool_input: input = {} }: Prompt): string | null {
  if (tool === "Bash") return isPlain(textOf(input.command)) ? `Bash(${textOf(input.command)})` : null
  const path = textOf(tool === "NotebookEdit" ? input.notebook_path : input.file_path)
  if (!path.startsWith("/") || !isPlain(path) || /[?[\]{}!\\]/.test(path)) return null
  // Claude Code knows one kind of rule for all tools that change a file; an absolute path begins with two slashes.
  if (/^(Edit|Write|MultiEdit|NotebookEdit)$/.test(tool)) return `Edit(/${path})`
  return tool === "Read" ? `Read(/${path})` : null
}

/** An asterisk in a rule stands for any text; three stand here for a secret, which the rule has as it is. */
function isPlain(text: string): boolean {
  return text !== "" && text.length <= 4096 && !text.replaceAll("***", "").includes("*") && !text.endsWith(":") && !/\p{Cc}/u.test(text)
}
