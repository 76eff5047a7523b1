import { asApiError, type ApiError } from "../api/errors"
import type { Prompt } from "../api/types"
import { Store } from "../lib/store"
import { hasUndo, isUndoWide, undoMilliseconds } from "../prompts/undo"
import { explained, t } from "../words/words"
import { dropDraft } from "./drafts"
import { answerPrompt, needsAnswer, prompts, refreshPrompt, type Answer, type PromptMap } from "./prompts"

/** An answer of this page that the server has not confirmed. */
export interface Given {
  prompt: Prompt
  answer: Answer
  /** `held`: it can be taken back, and is sent at `until`. */
  phase: "held" | "sending" | "failed"
  /** In milliseconds since 1970. */
  until: number
  error: string | null
  /** Whether it is not known if the answer reached the server. */
  isUnsure?: boolean
}

export type GivenMap = ReadonlyMap<string, Given>

/** By prompt. */
export const given = new Store<GivenMap>(new Map())

/** How many prompts a person has yet to answer. */
export const needing = new Store(0)

const timers = new Map<string, number>()

export function startGiven(): void {
  const count = () => needing.set(countNeeding(prompts.get(), given.get()))
  prompts.watch(() => {
    given.update((all) => withoutClosed(all, prompts.get()))
    count()
  })
  given.watch(count)
  // Nothing that was decided is lost with the page.
  const flush = () => {
    for (const [id, one] of given.get()) if (one.phase === "held") sendNow(id, true)
  }
  window.addEventListener("pagehide", flush)
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") flush()
  })
}

export function countNeeding(all: PromptMap, answers: GivenMap): number {
  return [...all.values()].filter((prompt) => needsAnswer(prompt) && !isGiven(answers, prompt.id)).length
}

/** Whether this page has an answer for the prompt, sent or about to be. */
export function isGiven(answers: GivenMap, id: string): boolean {
  const phase = answers.get(id)?.phase
  return phase === "held" || phase === "sending"
}

/** An answer that is still held is void once the prompt was answered elsewhere. */
export function withoutClosed(answers: GivenMap, all: PromptMap): GivenMap {
  const isVoid = ([id, one]: [string, Given]) => one.phase !== "sending" && all.get(id)?.state !== "open"
    && (one.phase === "held" || one.isUnsure === true || !all.has(id))
  return [...answers].some(isVoid) ? new Map([...answers].filter((entry) => !isVoid(entry))) : answers
}

/**
 * Sends an answer, or holds it for some seconds where it cannot be taken back later. One at a time for each prompt.
 * @param isOneOfSeveral several are answered at once, which is always held
 */
export function give(prompt: Prompt, answer: Answer, isOneOfSeveral = false): void {
  const before = given.get().get(prompt.id)
  if (prompt.state !== "open" || isGiven(given.get(), prompt.id)) return
  // The same answer again has the same id, so that the server does not take it for somebody else's.
  const isAgain = before?.isUnsure === true && isSame(before.answer, answer)
  const body = { answer_id: isAgain ? before.answer.answer_id : crypto.randomUUID(), ...answer }
  const isHeld = isOneOfSeveral || hasUndo(prompt, answer, isUndoWide())
  put({ prompt, answer: body, phase: "held", until: Date.now() + undoMilliseconds, error: null })
  if (isHeld) timers.set(prompt.id, window.setTimeout(() => sendNow(prompt.id), undoMilliseconds))
  else sendNow(prompt.id)
}

export function undo(id: string): void {
  if (given.get().get(id)?.phase !== "held") return
  stop(id)
  drop(id)
}

/** @param isLeaving the page may be gone before the server answers */
export function sendNow(id: string, isLeaving = false): void {
  const one = given.get().get(id)
  if (!one || one.phase !== "held") return
  stop(id)
  put({ ...one, phase: "sending" })
  answerPrompt(one.prompt, one.answer, isLeaving).then(() => {
    drop(id)
    dropDraft(id)
  }, (fault: unknown) => {
    const failure = asApiError(fault)
    put({ ...one, phase: "failed", error: explain(failure), isUnsure: failure.isOffline })
    if (failure.status === 409 || failure.status === 410) void refreshPrompt(id)
  })
}

function isSame(sent: Answer, answer: Answer): boolean {
  const { answer_id: _, ...before } = sent
  return JSON.stringify(before) === JSON.stringify(answer)
}

function put(one: Given): void {
  given.update((all) => new Map(all).set(one.prompt.id, one))
}

function drop(id: string): void {
  given.update((all) => new Map([...all].filter(([key]) => key !== id)))
}

function stop(id: string): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
}

function explain(error: ApiError): string {
  if (error.isOffline) return t("answer.offline")
  if (error.code === "already_answered") return t("answer.already")
  if (error.status === 410) return t("answer.gone")
  if (error.isMissingRoute || error.status === 405) return t("answer.none")
  return explained(error)
}
