import { getIfThere, part } from "../../api/http"
import type { Session, TokenUsage } from "../../api/types"
import { useLoaded } from "../../lib/load"
import { useStore } from "../../lib/store"
import { now } from "../../lib/time"

/** One request to a model, as telemetry or the transcript reports it. */
export interface Request {
  model?: string
  token_usage?: TokenUsage
  cost?: number
  turn_id?: string
  agent_id?: string
}

const requestLimit = 500
const mostPages = 10
const none: Request[] = []

/** The requests of a session, read again each minute. */
export function useRequests(session: string): Request[] {
  const minute = Math.floor(useStore(now) / 60_000)
  return useLoaded(() => readRequests(session), [session, minute]).value ?? none
}

async function readRequests(session: string): Promise<Request[]> {
  const all: Request[] = []
  let cursor: string | null | undefined
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await getIfThere<{ requests: Request[]; next_cursor?: string | null }>(
      `/v1/sessions/${part(session)}/requests`, { limit: requestLimit, cursor })
    all.push(...(page?.requests ?? []))
    cursor = page?.next_cursor
    if (!cursor) break
  }
  return all
}

/** What a request carried: all that the model read for it. */
export function carried({ token_usage: usage = {} }: Request): number {
  return (usage.input_tokens ?? 0) + (usage.cache_read_tokens ?? 0) + (usage.cache_creation_tokens ?? 0)
}

export interface Context {
  used: number
  /** Absent: nobody has told how much the model takes. */
  limit?: number
}

const large = 1_000_000

/** What a session that an agent runs says itself between its turns, counted by Claude Code. */
function useToldContext(session: Session | undefined): Context | null {
  const isAsked = session?.runner === "agent" && session.status !== "ended" && session.state === "idle" && !session.parked
  const path = `/v1/sessions/${part(session?.id ?? "")}/context`
  const told = useLoaded(async () => {
    return isAsked ? await getIfThere<{ used_tokens: number; max_tokens?: number }>(path).catch(() => null) : null
  }, [path, isAsked, session?.message_count]).value
  return told?.max_tokens ? { used: told.used_tokens, limit: told.max_tokens } : null
}

/** The context of the session itself, without that of its subagents. */
export function useContextOf(session: Session | undefined, requests: readonly Request[]): Context | null {
  const told = useToldContext(session)
  const own = requests.filter((request) => !request.agent_id)
  const last = own[own.length - 1]
  const used = session?.context?.used ?? (last ? carried(last) : 0)
  const model = last?.model ?? session?.current_model
  const isTold = session?.context?.limit !== undefined
  const limit = useLoaded(async () => !model || isTold ? null : limitOf(model), [model, isTold]).value ?? undefined
  if (told && told.used > 0) return told
  if (used === 0) return null
  const most = session?.context?.limit ?? limit
  return { used, limit: most !== undefined && used > most ? large : most }
}

const limits = new Map<string, Promise<number | null>>()

function limitOf(model: string): Promise<number | null> {
  if (model.endsWith("[1m]")) return Promise.resolve(large)
  const known = limits.get(model)
  if (known) return known
  const read = getIfThere<{ context_window?: number }>(`/v1/models/${part(model)}`).then((found) => found?.context_window ?? null, () => null)
  limits.set(model, read)
  return read
}
