import { record, string, type Item, type TaskEnd, type ToolItem } from "./model"

/** A subagent: the call that started it, and what it did. */
export interface Agent {
  id: string
  type: string
  /** Absent where it lies outside what is loaded. */
  call?: ToolItem
  items: Item[]
  /** What the client said of its end, where it ran in the background. */
  end?: TaskEnd
}

export interface Agents {
  /** By the key of the call that started each. */
  byCall: Map<string, Agent>
  /** Those without a call, by the key of their first item. */
  byFirst: Map<string, Agent>
}

export function isAgentCall(item: Item): item is ToolItem {
  return item.kind === "tool" && (item.name === "Agent" || item.name === "Task")
}

/** The subagents in the order in which they began, each with its call. */
export function agentsOf(items: readonly Item[]): Agents {
  const agents = new Map<string, Agent>()
  const began = new Map<string, number>()
  items.forEach((item, index) => {
    if (item.agent === undefined) return
    const known = agents.get(item.agent) ?? { id: item.agent, type: "", items: [] }
    if (item.agentType) known.type = item.agentType
    known.items.push(item)
    agents.set(item.agent, known)
    if (!began.has(item.agent)) began.set(item.agent, index)
  })
  for (const item of items) {
    const end = item.kind === "note" ? item.end : undefined
    const agent = end && agents.get(end.id)
    if (agent) agent.end = end
  }
  const byCall = callsOf(items, agents, began)
  const linked = new Set([...byCall.values()].map((agent) => agent.id))
  const byFirst = new Map<string, Agent>()
  for (const agent of agents.values()) if (!linked.has(agent.id)) byFirst.set(agent.items[0]!.key, agent)
  return { byCall, byFirst }
}

/** A result names its agent. Before there is one, the first agent of its kind that begins after a call belongs to it. */
function callsOf(items: readonly Item[], agents: Map<string, Agent>, began: Map<string, number>): Map<string, Agent> {
  const byCall = new Map<string, Agent>()
  const free = new Map(agents)
  const take = (call: ToolItem, agent: Agent | undefined) => {
    if (!agent) return
    free.delete(agent.id)
    agent.call = call
    byCall.set(call.key, agent)
  }
  const calls = items.filter(isAgentCall)
  for (const call of calls) take(call, free.get(string(record(call.result).agentId) ?? ""))
  const places = new Map(items.map((item, index) => [item.key, index]))
  for (const call of calls) {
    if (byCall.has(call.key) || call.state === "denied") continue
    const place = places.get(call.key) ?? 0
    const type = string(call.input.subagent_type)
    const later = [...free.values()].filter((agent) => (began.get(agent.id) ?? 0) > place && agent.id !== call.agent)
    take(call, later.find((agent) => !type || !agent.type || agent.type === type))
  }
  // A call whose agent has told nothing yet.
  for (const call of calls) {
    if (!byCall.has(call.key)) byCall.set(call.key, { id: call.key, type: string(call.input.subagent_type) ?? "", call, items: [] })
  }
  return byCall
}

export interface AgentFacts {
  state: "running" | "waiting" | "done" | "failed" | "denied"
  calls: number
  tokens?: number
  milliseconds?: number
  result: string
}

/** What is known of a subagent, by its call, by its own events and by the client's notice. */
export function agentFacts(agent: Agent): AgentFacts {
  const { call, end } = agent
  const told = record(call?.result)
  const own = agent.items.filter((item) => item.kind === "tool").length
  const count = (...values: unknown[]) => values.find((value): value is number => typeof value === "number" && value > 0)
  const texts = agent.items.filter((item) => item.kind === "text")
  const last = texts[texts.length - 1]
  const content = Array.isArray(told.content) ? told.content.map((block) => string(record(block).text) ?? "").filter(Boolean).join("\n\n") : ""
  return {
    state: stateOf(agent, told.status === "async_launched"),
    calls: count(told.totalToolUseCount, end?.tools, own) ?? 0,
    tokens: count(told.totalTokens, end?.tokens),
    milliseconds: count(told.totalDurationMs, told.status === "async_launched" ? undefined : call?.milliseconds),
    result: call?.error ?? (content || end?.result || (last && "text" in last ? last.text : "")),
  }
}

function stateOf({ call, items, end }: Agent, isBackground: boolean): AgentFacts["state"] {
  const isOver = end !== undefined || items.some((item) => item.kind === "note" && item.word === "subagent_stop")
  if (call?.state === "failed" || call?.state === "denied" || call?.state === "waiting") return call.state
  if (isOver || (call?.state === "done" && !isBackground) || call?.state === "unknown") return "done"
  return "running"
}
