import { get, type Query } from "./http"
import { ownZone, startOfDay } from "../lib/days"
import { spent, type Unpriced } from "../lib/spent"
import type { TokenUsage } from "./types"

export type Dimension = "hour" | "model" | "project" | "machine" | "session"

/** One row of a chart. */
export interface UsageRow {
  key: string
  name: string
  /** Without what has no price. */
  cost: number
  unpriced: Unpriced
  tokens: number
  usage: TokenUsage
  events: number
  toolCalls: number
  toolFailures: number
}

export interface UsageTable {
  rows: UsageRow[]
  total: UsageRow
}

interface RawRow {
  key?: string | null
  name?: string
  cost?: number
  total_cost?: number
  unpriced?: Unpriced
  total_tokens?: number
  token_usage?: TokenUsage
  input_tokens?: number
  output_tokens?: number
  cache_read_tokens?: number
  cache_creation_tokens?: number
  events?: number
  tool_calls?: number
  tool_failures?: number
  requests?: number
}

interface RawTable {
  total?: RawRow
  groups: RawRow[]
}

/**
 * The sums of requests to models.
 * @param from the first day by the browser's clock, `YYYY-MM-DD`
 * @param to the day that is not included any more; absent: until now
 */
export async function readUsage(by: Dimension, from: string, to?: string, filter: Query = {}): Promise<UsageTable> {
  const usage = await get<RawTable>("/v1/usage", { from: startOfDay(from).toISOString(), to: to && startOfDay(to).toISOString(), by, ...filter })
  return { rows: usage.groups.map(row), total: row(usage.total ?? {}) }
}

/** The sums of requests since a time. */
export async function readUsageSince(by: Dimension, time: number): Promise<UsageRow[]> {
  return (await get<RawTable>("/v1/usage", { from: new Date(time).toISOString(), by })).groups.map(row)
}

/**
 * The sums of events and calls of tools, whether or not anything has reported tokens.
 * @param from and `to`: days by the browser's clock, `YYYY-MM-DD`, both included
 */
export async function readStatistics(by: "day" | "tool", from: string, to: string): Promise<UsageRow[]> {
  return (await get<{ data: RawRow[] }>("/v1/stats", { from, to, by, timezone: ownZone() })).data.map(row)
}

function row(raw: RawRow): UsageRow {
  const usage = raw.token_usage ?? raw
  return {
    key: raw.key ?? "",
    name: raw.name ?? raw.key ?? "",
    cost: raw.cost ?? spent(raw),
    unpriced: raw.unpriced ?? {},
    tokens: raw.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
    usage: {
      input_tokens: usage.input_tokens ?? 0, output_tokens: usage.output_tokens ?? 0,
      cache_read_tokens: usage.cache_read_tokens ?? 0, cache_creation_tokens: usage.cache_creation_tokens ?? 0,
    },
    events: raw.events ?? raw.requests ?? 0,
    toolCalls: raw.tool_calls ?? 0,
    toolFailures: raw.tool_failures ?? 0,
  }
}
