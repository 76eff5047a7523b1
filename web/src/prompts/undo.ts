import type { Prompt } from "../api/types"
import type { Answer } from "../state/prompts"

/** How long an answer that cannot be taken back waits before it is sent. */
export const undoMilliseconds = 5_000

/** Calls whose effect stays. */
const lasting = new Set(["delete", "credentials", "publish"])

/**
 * Whether the answer can be taken back for some seconds before it is sent; all others go at once.
 * @param isWide the person wants that for every answer
 */
export function hasUndo(prompt: Prompt, answer: Answer, isWide: boolean): boolean {
  if (isWide || answer.scope === "always" || answer.interrupt === true) return true
  if (answer.decision !== "allow") return false
  // What a changed input can do is not known: the risk is that of the call as it was asked.
  if (answer.updated_input !== undefined || (Array.isArray(answer.permissions) && answer.permissions.includes("setMode"))) return true
  return answer.mode === "acceptEdits" || (prompt.kind === "permission" && lasting.has(prompt.risk ?? ""))
}

const key = "monitor.undo"

export function isUndoWide(): boolean {
  return localStorage.getItem(key) === "all"
}

export function setUndoWide(isWide: boolean): void {
  if (isWide) localStorage.setItem(key, "all")
  else localStorage.removeItem(key)
}
