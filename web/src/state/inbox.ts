import type { Prompt } from "../api/types"
import type { Entry } from "./groups"
import { isGiven, type GivenMap } from "./given"

/** The prompts of the inbox in the order of the list. */
export function inboxOf(shown: readonly Entry[]): Prompt[] {
  return shown.flatMap((entry) => entry.prompts)
}

/** Those that a person has yet to answer. */
export function waitingOf(shown: readonly Entry[], answers: GivenMap): Prompt[] {
  return inboxOf(shown).filter((prompt) => prompt.state === "open" && !isGiven(answers, prompt.id))
}

/**
 * The one prompt whose card is open. It stays the same as long as it waits or keeps its place after its answer, whatever
 * comes above it; then the first that waits follows.
 */
export function openedOf(shown: readonly Entry[], current: string | null, answers: GivenMap): string | null {
  const all = inboxOf(shown)
  const known = all.find((prompt) => prompt.id === current)
  const isKept = known && (known.state === "open" || shown.some((entry) => entry.keeps?.includes(known.id)))
  if (isKept) return known.id
  return waitingOf(shown, answers)[0]?.id ?? null
}

/** The prompt that waits before (-1) or after (1) another one; at an end it stays. */
export function neighbour(shown: readonly Entry[], current: string | null, step: 1 | -1, answers: GivenMap): string | null {
  const all = inboxOf(shown)
  const waiting = new Set(waitingOf(shown, answers).map((prompt) => prompt.id))
  const at = all.findIndex((prompt) => prompt.id === current)
  for (let next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step; next >= 0 && next < all.length; next += step) {
    if (waiting.has(all[next]!.id)) return all[next]!.id
  }
  // After the last one the first that still waits follows, so that none is passed over.
  return step > 0 ? waitingOf(shown, answers)[0]?.id ?? current : current
}
