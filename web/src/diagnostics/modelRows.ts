import { get, type Query } from "../api/http"
import type { Machine } from "../api/types"
import { readUsage, type UsageRow } from "../api/usage"
import { latestDays } from "../lib/days"

interface Prices {
  input: number
  output: number
  cache_read: number
  cache_write_5m: number
}

export interface Model {
  id: string
  name: string
  aliases: string[]
  /** Of context. */
  max_tokens?: number
  /** Those whose Claude Code offers it now. */
  machines?: string[]
  max_output_tokens?: number | null
  pricing?: { effective_from?: string | null; per_million: Prices }
}

export interface Known {
  models: Model[]
  price_source?: string
}

export function readModels(): Promise<Known> {
  return get<Known>("/v1/models/capabilities")
}

/** A model, what it was used for in the last week, and on which machines. */
export interface Row {
  id: string
  /** `null`: the server knows neither its name nor its price. */
  model: Model | null
  cost: number
  tokens: number
  requests: number
  machines: string[]
}

const mostMachines = 12

/** What each model was used for in the last seven days, over all machines and by machine. */
export async function readUse(machines: readonly Machine[]): Promise<{ all: UsageRow[]; byMachine: Map<string, UsageRow[]> }> {
  const from = latestDays(7)[0] ?? ""
  const asked = machines.slice(0, mostMachines)
  const [all, ...own] = await Promise.all([readUsage("model", from), ...asked.map((one) => readUsage("model", from, undefined, of(one)))])
  return { all: all.rows, byMachine: new Map(asked.map((one, at) => [one.name, own[at]?.rows ?? []])) }
}

function of(machine: Machine): Query {
  return { machine_id: machine.name }
}

/** The models that were used, the costliest first, then all others in the order of the server's list. */
export function rowsOf(known: readonly Model[], all: readonly UsageRow[], byMachine: ReadonlyMap<string, readonly UsageRow[]>): Row[] {
  const rows = new Map<string, Row>()
  const rowFor = (key: string): Row => {
    const model = modelOf(known, key)
    const id = model?.id ?? key
    const row = rows.get(id) ?? { id, model, cost: 0, tokens: 0, requests: 0, machines: [] }
    rows.set(id, row)
    return row
  }
  for (const used of all) {
    if (!used.key) continue
    const row = rowFor(used.key)
    row.cost += used.cost
    row.tokens += used.tokens
    row.requests += used.events
  }
  for (const [machine, own] of byMachine) {
    for (const used of own) {
      const row = used.key && used.events > 0 ? rowFor(used.key) : null
      if (row && !row.machines.includes(machine)) row.machines.push(machine)
    }
  }
  const used = [...rows.values()].sort((one, other) => other.cost - one.cost || other.tokens - one.tokens)
  const others = known.filter((model) => !rows.has(model.id))
  return [...used, ...others.map((model): Row => ({ id: model.id, model, cost: 0, tokens: 0, requests: 0, machines: [] }))]
}

/** By id or alias; what follows the name, a date or `[1m]`, is not compared. */
function modelOf(known: readonly Model[], key: string): Model | null {
  const plain = key.replace(/\[.*\]$/, "")
  const without = plain.replace(/-\d{8}$/, "")
  return known.find((model) => model.id === plain || model.aliases.includes(plain))
    ?? known.find((model) => model.id === without || model.id.replace(/-\d{8}$/, "") === without) ?? null
}
