import type { Prompt } from "../api/types"
import { textOf } from "./describe"

/**
 * The rule that matches exactly this call; `null` if every rule would also match others. Rules are patterns.
 * Tests/hooks/exact-cases.tsv holds cases that the hooks and the server judge alike.
 */
export function exactRule({ tool_name: tool = "", tool_input: input = {} }: Prompt): { tool: string; content: string } | null {
  if (tool === "Bash") {
    const command = textOf(input.command)
    return isPlain(command) && !/^ | $/.test(command) ? { tool, content: command } : null
  }
  const path = textOf(tool === "NotebookEdit" ? input.notebook_path : input.file_path)
  if (!path.startsWith("/") || !isPlain(path) || /[?[\]{}!\\]| $/.test(path)) return null
  // As in .gitignore, a slash at the end names all files below.
  if (path.slice(1).split("/").some((part) => part === "" || part === "." || part === "..")) return null
  // Claude Code knows one kind of rule for all tools that change a file; an absolute path begins with two slashes.
  if (/^(Edit|Write|MultiEdit|NotebookEdit)$/.test(tool)) return { tool: "Edit", content: "/" + path }
  return tool === "Read" ? { tool, content: "/" + path } : null
}

/** An asterisk in a rule stands for any text; three stand here for a secret, which the rule has as it is. */
function isPlain(text: string): boolean {
  return text !== "" && text.length <= 4096 && !text.replaceAll("***", "").includes("*") && !text.endsWith(":") && !/[\p{Cc}\p{Cs}\uFFFD]/u.test(text)
}
