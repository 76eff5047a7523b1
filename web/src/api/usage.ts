import { get, getIfThere } from "./http"
import type { TokenUsage } from "./types"

export type Dimension = "day" | "hour" | "model" | "project" | "machine" | "tool" | "session"

/** One row of a chart. */
export interface UsageRow {
  key: string
  name: string
  cost: number
  tokens: number
  usage: TokenUsage
  events: number
  toolCalls: number
  toolFailures: number
  sessions: number
}

export interface UsageTable {
  rows: UsageRow[]
  total: UsageRow
  /** Whether requests are counted one by one. Without it sessions are counted on the day on which they began. */
  isByRequest: boolean
}

interface RawRow {
  key?: string | null
  name?: string
  cost?: number
  total_cost?: number
  total_tokens?: number
  token_usage?: TokenUsage
  input_tokens?: number
  output_tokens?: number
  cache_read_tokens?: number
  cache_creation_tokens?: number
  events?: number
  tool_calls?: number
  tool_failures?: number
  sessions?: number
  requests?: number
}

const statistics = new Set<Dimension>(["day", "machine", "project", "model", "tool"])

/** @param from and `to`: days, `YYYY-MM-DD`, both included */
export async function readUsage(by: Dimension, from: string, to: string): Promise<UsageTable> {
  const usage = await getIfThere<{ total: RawRow; groups: RawRow[] }>("/v1/usage", {
    from: from + "T00:00:00Z", to: to + "T23:59:59.999Z", by })
  if (usage && by !== "tool") {
    return { rows: usage.groups.map(row), total: row(usage.total ?? {}), isByRequest: true }
  }
  if (!statistics.has(by)) return { rows: [], total: row({}), isByRequest: false }
  return readStatistics(by, from, to)
}

/** The sums of requests since a time. */
export async function readUsageSince(by: Dimension, time: number): Promise<UsageRow[]> {
  const usage = await getIfThere<{ groups: RawRow[] }>("/v1/usage", { from: new Date(time).toISOString(), by })
  return (usage?.groups ?? []).map(row)
}

/** By events and sessions, whether or not anything has reported tokens. */
export async function readStatistics(by: Dimension, from: string, to: string): Promise<UsageTable> {
  const stats = await get<{ data: RawRow[] }>("/v1/stats", { from, to, by })
  const rows = stats.data.map(row)
  return { rows, total: rows.reduce(add, row({})), isByRequest: false }
}

function row(raw: RawRow): UsageRow {
  const usage = raw.token_usage ?? raw
  const tokens = raw.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0)
  return {
    key: raw.key ?? "",
    name: raw.name ?? raw.key ?? "",
    cost: raw.cost ?? raw.total_cost ?? 0,
    tokens,
    usage: {
      input_tokens: usage.input_tokens ?? 0, output_tokens: usage.output_tokens ?? 0,
      cache_read_tokens: usage.cache_read_tokens ?? 0, cache_creation_tokens: usage.cache_creation_tokens ?? 0,
    },
    events: raw.events ?? raw.requests ?? 0,
    toolCalls: raw.tool_calls ?? 0,
    toolFailures: raw.tool_failures ?? 0,
    sessions: raw.sessions ?? 0,
  }
}

function add(one: UsageRow, other: UsageRow): UsageRow {
  const sum = (name: keyof TokenUsage) => (one.usage[name] ?? 0) + (other.usage[name] ?? 0)
  return {
    ...one,
    cost: one.cost + other.cost,
    tokens: one.tokens + other.tokens,
    usage: {
      input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"),
      cache_read_tokens: sum("cache_read_tokens"), cache_creation_tokens: sum("cache_creation_tokens"),
    },
    events: one.events + other.events,
    toolCalls: one.toolCalls + other.toolCalls,
    toolFailures: one.toolFailures + other.toolFailures,
    sessions: one.sessions + other.sessions,
  }
}

/** The day by UTC, as the server counts. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
