import type { ToolWord } from "../words/words"
import { isObject } from "./schema"

/** What a server says of a tool's effects, in words. A hint that it does not give is none, whatever the protocol assumes then. */
export function hintsOf(annotations: unknown): ToolWord[] {
  if (!isObject(annotations)) return []
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  const hints: ToolWord[] = []
  if (readOnlyHint === true) hints.push("hint.reads")
  if (readOnlyHint === false) hints.push("hint.changes")
  // The protocol gives these a meaning only for a tool that changes something.
  if (readOnlyHint !== true) {
    if (destructiveHint === true) hints.push("hint.destroys")
    if (destructiveHint === false) hints.push("hint.adds")
    if (idempotentHint === true) hints.push("hint.repeats")
  }
  if (openWorldHint === true) hints.push("hint.open")
  if (openWorldHint === false) hints.push("hint.closed")
  return hints
}
