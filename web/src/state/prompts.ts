import { get, part, send } from "../api/http"
import { ApiError, asApiError } from "../api/errors"
import type { MonitorEvent, Page, Prompt, Session } from "../api/types"
import { listen } from "../live/live"
import { Retry } from "../live/retry"
import { Store } from "../lib/store"
import { dropClosed, dropDraft } from "./drafts"
import { myDevice } from "./me"

export type PromptMap = ReadonlyMap<string, Prompt>

/** Open prompts, and for a few seconds those that were open when this page last showed them. */
export const prompts = new Store<PromptMap>(new Map())

/** How long a prompt stays to be seen after its end. */
const lingerMilliseconds = 6_000
const pauseMilliseconds = 250

/** How long an answer stays to be seen whose turn has ended without a sign that it was applied. */
const proofMilliseconds = 30_000
/** After a reload, answers of this age and younger are shown until they are applied. */
const recentMilliseconds = 3_600_000

const ends = new Map<string, number>()
const waiting = new Set<string>()
let timer = 0

export function startPrompts(): void {
  listen({ event: received, row: changed, reload: () => void loadPrompts(), opened: () => void loadPrompts() })
  void loadPrompts()
}

/** Those that a session waits for; an idle session waits for nobody. */
export function needsAnswer(prompt: Prompt): boolean {
  return prompt.state === "open" && prompt.kind !== "input"
}

/** Whether the answer that counts was given in this browser. */
export function isMine(prompt: Prompt | undefined): boolean {
  return prompt?.answer?.by?.kind === "device" && prompt.answer.by.id === myDevice.get()
}

export function openPrompts(all: PromptMap): Prompt[] {
  return [...all.values()].filter((prompt) => prompt.state === "open")
}

let isFirst = true
/** Whether this page knows which prompts were open when it began. */
export const promptsLoaded = new Store(false)
/** Why they could not be read the last time. */
export const promptsFault = new Store<ApiError | null>(null)
const retry = new Retry()

export async function loadPrompts(): Promise<void> {
  try {
    const before = prompts.get()
    const next = new Map((await readOpen()).map((prompt) => [prompt.id, prompt]))
    const gone = openPrompts(prompts.get()).filter((prompt) => !next.has(prompt.id))
    // A prompt that arrived by event while the list was read stays.
    for (const prompt of prompts.get().values()) if (prompt.state !== "open" || !before.has(prompt.id)) next.set(prompt.id, prompt)
    prompts.set(next)
    promptsLoaded.set(true)
    dropClosed(next)
    promptsFault.set(null)
    retry.succeeded()
    retry.stop()
    for (const prompt of gone) void refreshPrompt(prompt.id)
    if (isFirst) await loadAnswered()
  } catch (fault) {
    const error = asApiError(fault)
    promptsFault.set(error)
    if (error.isPassing) retry.later(() => void loadPrompts())
  }
}

const pageLimit = 200

/** All open prompts, however many wait. */
async function readOpen(): Promise<Prompt[]> {
  const all: Prompt[] = []
  for (let cursor: string | null | undefined; ;) {
    const page: Page<Prompt> = await get("/v1/prompts", { state: "open", limit: pageLimit, cursor })
    all.push(...page.data)
    cursor = page.next_cursor
    if (!cursor) return all
  }
}

/** Answers that are on their way: given before this page was opened, and not applied yet. */
async function loadAnswered(): Promise<void> {
  const page = await get<Page<Prompt>>("/v1/prompts", { state: "answered", limit: 50 })
  for (const prompt of page.data) {
    if (awaitsProof(prompt) && Date.now() - Date.parse(prompt.answer?.at ?? "") < recentMilliseconds) keep(prompt, true)
  }
  isFirst = false
}

function received(event: MonitorEvent): void {
  const payload = event.payload as { prompt?: Prompt; prompt_id?: string; id?: string }
  const id = payload.prompt?.id ?? payload.prompt_id ?? payload.id
  if (event.type.startsWith("prompt_") && id) return void refreshPrompt(id)
  if (event.session_id) readLater(event.session_id)
}

/** A session that has come to wait, or has gone on: prompts without a hook that waits have no events of their own. */
function changed(row: Session): void {
  const own = openPrompts(prompts.get()).filter((one) => one.session_id === row.id)
  const isNews = row.waiting_for !== undefined && !own.some((one) => one.tool_use_id === row.waiting_for?.tool_use_id)
  if (isNews || own.length > 0) readLater(row.id)
  if (row.status === "ended" || row.state === "idle" || row.state === "error") endUnproved(row)
}

function readLater(session: string): void {
  waiting.add(session)
  if (!timer) timer = window.setTimeout(() => void refreshSessions(), pauseMilliseconds)
}

async function refreshSessions(): Promise<void> {
  timer = 0
  const ids = [...waiting]
  waiting.clear()
  if (ids.length > 3) return loadPrompts()
  for (const id of ids) {
    try {
      const page = await get<Page<Prompt>>("/v1/prompts", { state: "open", session_id: id, limit: 50 })
      const open = new Set(page.data.map((prompt) => prompt.id))
      const gone = openPrompts(prompts.get()).filter((one) => one.session_id === id && !open.has(one.id))
      for (const prompt of page.data) keep(prompt)
      for (const prompt of gone) void refreshPrompt(prompt.id)
    } catch {
      return retry.later(() => void loadPrompts())
    }
  }
}

export async function refreshPrompt(id: string): Promise<void> {
  try {
    keep(await get<Prompt>("/v1/prompts/" + part(id)))
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 404) forget(id)
  }
}

/** The turn that was asked for has ended: what has not shown by then will hardly show. */
function endUnproved(row: Session): void {
  for (const prompt of prompts.get().values()) {
    const isOfTurn = prompt.session_id === row.id && (prompt.answer?.at ?? "") < row.last_activity_at
    if (isOfTurn && awaitsProof(prompt)) void refreshPrompt(prompt.id).then(() => forgetLater(prompt.id, proofMilliseconds))
  }
}

/** @param isWanted also one that was not open here */
function keep(prompt: Prompt, isWanted = false): void {
  const known = prompts.get().get(prompt.id)
  if (prompt.state !== "open" && !known && !isWanted) return
  if (known && isOlder(prompt, known)) return
  prompts.update((all) => new Map(all).set(prompt.id, prompt))
  if (prompt.state === "open") return
  // The life of an answer is shown until it is applied.
  if (!awaitsProof(prompt)) forgetLater(prompt.id, lingerMilliseconds)
}

function forgetLater(id: string, milliseconds: number): void {
  if (ends.has(id)) return
  ends.set(id, window.setTimeout(() => forget(id), milliseconds))
}

/** Two readings may arrive in the other order. A prompt does not open again, and what was applied stays so. */
function isOlder(prompt: Prompt, known: Prompt): boolean {
  if (known.state !== "open" && prompt.state === "open") return true
  return Boolean(known.answer?.outcome) && !prompt.answer?.outcome
}

/** Answered from a device, but the machine has not shown yet that it went on with the answer. */
function awaitsProof(prompt: Prompt): boolean {
  if (prompt.state !== "answered" || prompt.answer?.by?.kind !== "device") return false
  return !prompt.answer.outcome
}

function forget(id: string): void {
  ends.delete(id)
  dropDraft(id)
  if (!prompts.get().has(id)) return
  prompts.update((all) => {
    const next = new Map(all)
    next.delete(id)
    return next
  })
}

export type Answer = Record<string, unknown>

/**
 * Sends an answer; a repeated call with the same `answer_id` does no harm.
 * @param isLeaving the page may be gone before the server answers
 */
export async function answerPrompt(prompt: Prompt, answer: Answer, isLeaving: boolean): Promise<void> {
  const answered = await send<{ prompt: Prompt }>("POST", `/v1/prompts/${part(prompt.id)}/answer`, answer, isLeaving)
  if (answered.prompt) keep(answered.prompt)
  else await refreshPrompt(prompt.id)
}

const seen = new Set<string>()

/** Tells the server once that a person has the prompt on the screen. */
export function markSeen(prompt: Prompt): void {
  if (seen.has(prompt.id) || prompt.state !== "open") return
  seen.add(prompt.id)
  send("POST", `/v1/prompts/${part(prompt.id)}/seen`, {}).catch(() => undefined)
}
