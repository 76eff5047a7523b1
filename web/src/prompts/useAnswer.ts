import { useCallback, useState } from "react"
import { ApiError, asApiError } from "../api/errors"
import type { Prompt } from "../api/types"
import { answerPrompt, refreshPrompt, type Answer } from "../state/prompts"
import { explained, t } from "../words/words"

export interface Answering {
  isSending: boolean
  error: string | null
  answer: (answer: Answer) => void
}

/** Sends one answer at a time. What the server refuses is said in the card; who was first is read again. */
export function useAnswer(prompt: Prompt): Answering {
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const answer = useCallback((body: Answer) => {
    setSending(true)
    setError(null)
    answerPrompt(prompt, body)
      .catch((fault: unknown) => {
        const failure = asApiError(fault)
        setError(explain(failure))
        if (failure.status === 409 || failure.status === 410) void refreshPrompt(prompt.id)
      })
      .finally(() => setSending(false))
  }, [prompt.id])
  return { isSending, error, answer }
}

function explain(error: ApiError): string {
  if (error.isOffline) return t("answer.offline")
  if (error.code === "already_answered") return t("answer.already")
  if (error.status === 410) return t("answer.gone")
  if (error.isMissingRoute || error.status === 405) return t("answer.none")
  return explained(error)
}
