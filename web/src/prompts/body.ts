import { diffLines, type DiffLine } from "../lib/diff"
import { textOf } from "./describe"

type Input = Record<string, unknown>

/** A picture of some members of a tool's input. It names the members that it shows; the card lists all others. */
export interface Body {
  shown: string[]
  /** A command or the like, as one text. */
  text?: string
  /** A change of a file. */
  change?: { path: string; lines: DiffLine[] }
}

const nothing: Body = { shown: [] }

/** Of the built-in tools only: a tool of an MCP server may give other meanings to the same names. */
export function bodyOf(tool: string, input: Input): Body {
  switch (tool) {
    case "Bash": case "PowerShell": return isText(input.command) ? { shown: ["command"], text: input.command } : nothing
    case "Edit": return edit(input)
    case "MultiEdit": return edits(input)
    case "Write": return change(input, "file_path", "content", "")
    case "NotebookEdit": return change(input, "notebook_path", "new_source", "")
    default: return nothing
  }
}

/** The members that `body` does not show, in their order. */
export function otherMembers(input: Input, body: Body): [string, unknown][] {
  const shown = new Set(body.shown)
  return Object.entries(input).filter(([name]) => !shown.has(name))
}

/** Tools whose `description` only explains the call. The card shows it as the reason. */
export function isReasonGiven(tool: string | undefined, input: Input): boolean {
  return (tool === "Bash" || tool === "PowerShell") && isText(input.description)
}

function edit(input: Input): Body {
  const { file_path: path, old_string: old, new_string: fresh } = input
  if (!isText(path) || !isText(old) || !isText(fresh)) return nothing
  const shown = isLinewise(old, fresh) ? ["file_path", "old_string", "new_string"] : ["file_path"]
  return { shown, change: { path, lines: diffLines(old, fresh) } }
}

function edits(input: Input): Body {
  const { file_path: path, edits: list } = input
  if (!isText(path) || !Array.isArray(list)) return nothing
  const isWhole = list.every((one: unknown) => isPlainEdit(one) && isLinewise(one.old_string, one.new_string))
  return { shown: isWhole ? ["file_path", "edits"] : ["file_path"], change: { path, lines: changeLines(input) } }
}

function change(input: Input, place: string, content: string, before: string): Body {
  const [path, text] = [input[place], input[content]]
  return isText(path) && isText(text) ? { shown: [place, content], change: { path, lines: diffLines(before, text) } } : nothing
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

/** An edit with nothing but the two texts. */
function isPlainEdit(one: unknown): one is { old_string: string; new_string: string } {
  if (typeof one !== "object" || one === null) return false
  const { old_string: old, new_string: fresh } = one as Input
  return isText(old) && isText(fresh) && Object.keys(one).length === 2
}

/** Lines show the whole difference only if both texts end alike. */
function isLinewise(old: string, fresh: string): boolean {
  return old === "" || fresh === "" || old.endsWith("\n") === fresh.endsWith("\n")
}

/** Of Edit, MultiEdit, Write and NotebookEdit. */
export function changeLines(input: Input): DiffLine[] {
  if (Array.isArray(input.edits)) {
    return (input.edits as Input[]).flatMap((one) => diffLines(textOf(one?.old_string), textOf(one?.new_string)))
  }
  return diffLines(textOf(input.old_string), textOf(input.new_string ?? input.content ?? input.new_source))
}
