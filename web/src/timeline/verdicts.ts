import type { Prompt } from "../api/types"
import type { ToolItem } from "./model"

/** A call whose prompt was opened or closed: whether it waits, and how it was decided. */
export function judged(item: ToolItem, prompt: Prompt): ToolItem {
  const verdict = { kind: prompt.kind, state: prompt.state, ...(prompt.answer ? { answer: prompt.answer } : {}) }
  return { ...item, verdict, state: stateAfter(item.state, prompt) }
}

function stateAfter(state: ToolItem["state"], prompt: Prompt): ToolItem["state"] {
  if (state === "done" || state === "failed") return state
  if (prompt.state === "open") return "waiting"
  if (prompt.answer?.decision === "deny" || prompt.state === "expired") return "denied"
  return state === "waiting" ? "running" : state
}

/** What the same call has in common with this one, for rules that allow exactly it. */
export function callKey({ name, input }: ToolItem): string {
  return JSON.stringify([name, input.command ?? input.file_path ?? input.notebook_path ?? input])
}

/** Whether a person has allowed the call together with those like it. */
export function isRuled({ verdict }: ToolItem): boolean {
  const answer = verdict?.answer
  return verdict?.kind === "permission" && answer?.decision !== "deny" && (answer?.scope === "session" || answer?.scope === "always")
}

/** The text of a refusal as the model got it, in the results of a batch of calls. */
const refusal = /doesn't want to proceed|permission to use .* (has been )?denied|requested permissions|rejected/i

/** A call of which only the results of its batch tell: it was refused, or nothing of its end is known. */
export function batched(item: ToolItem, response: unknown): ToolItem {
  if (item.state === "done" || item.state === "failed" || item.state === "denied") return item
  const text = typeof response === "string" ? response : JSON.stringify(response ?? "")
  const isDenied = item.verdict?.answer?.decision === "deny" || refusal.test(text)
  return { ...item, state: isDenied ? "denied" : "unknown", ...(isDenied ? {} : { result: response }) }
}
