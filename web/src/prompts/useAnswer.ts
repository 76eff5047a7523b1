import { useCallback } from "react"
import type { Prompt } from "../api/types"
import { useSelected } from "../lib/store"
import { give, given, type Given } from "../state/given"
import type { Answer } from "../state/prompts"

export interface Answering {
  /** What this page has answered, until the server confirms it. */
  given: Given | undefined
  isSending: boolean
  error: string | null
  answer: (answer: Answer) => void
}

/** Answers one prompt. What the server refuses is said in the card. */
export function useAnswer(prompt: Prompt): Answering {
  const own = useSelected(given, (all) => all.get(prompt.id))
  const answer = useCallback((body: Answer) => give(prompt, body), [prompt])
  return { given: own, isSending: own !== undefined && own.phase !== "failed", error: own?.error ?? null, answer }
}
