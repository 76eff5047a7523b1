import type { Prompt } from "../api/types"
import { hasMasked } from "./masked"

/** Whether the prompt can be answered together with others: all of it is shown, and its answer is a plain yes or no. */
function isPlain(prompt: Prompt): boolean {
  return prompt.kind === "permission" && prompt.state === "open" && prompt.answerable === true && !hasMasked(prompt)
    && prompt.content_truncated !== true && prompt.tool_input !== undefined
}

/** The prompts that ask for the same call as this one, in any session; the oldest first, this one included. */
export function alikeOf(prompt: Prompt, all: Iterable<Prompt>): Prompt[] {
  if (!isPlain(prompt)) return []
  const wanted = keyOf(prompt)
  return [...all].filter((one) => isPlain(one) && keyOf(one) === wanted)
    .sort((one, other) => one.opened_at.localeCompare(other.opened_at))
}

function keyOf({ tool_name: tool, tool_input: input }: Prompt): string {
  return JSON.stringify([tool, sorted(input)])
}

/** The members of objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1).map(([name, own]) => [name, sorted(own)])
}
