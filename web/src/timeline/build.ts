import type { Prompt } from "../api/types"
import { endOf } from "../prompts/outcome"
import { record, string, type Item, type MonitorEvent, type ToolItem } from "./model"
import { noticeOf, taskEnd } from "./notices"
import { batched, callKey, isRuled, judged } from "./verdicts"

/**
 * The items of a timeline, from events in the order of `seq`. A tool's result completes the item of its call, wherever
 * that stands, so an item keeps its place.
 */
export class TimelineBuilder {
  readonly items: Item[] = []
  /** Calls without a result. */
  private readonly open = new Set<string>()
  private readonly keys = new Set<string>()
  private readonly agentTypes = new Map<string, string>()
  /** Where each call stands that was begun. */
  private readonly places = new Map<string, number>()
  /** The call of each prompt. */
  private readonly asked = new Map<string, string>()
  /** The latest call of each kind that was allowed with a rule. */
  private readonly ruled = new Map<string, number>()

  /** @param isLog each event has a line, also those that otherwise show in the items of their calls only */
  constructor(private readonly isLog = false) {}

  add(event: MonitorEvent): void {
    const payload = record(event.payload)
    const agent = string(payload.agent_id)
    const type = agent && (string(payload.agent_type) ?? this.agentTypes.get(agent))
    if (agent && type) this.agentTypes.set(agent, type)
    const base = {
      key: String(event.seq), seq: event.seq, at: event.timestamp, ...(agent ? { agent } : {}), ...(type ? { agentType: type } : {}) }
    switch (event.hook_event_name) {
      case "UserPromptSubmit":
        return this.prompted(base, string(payload.prompt) ?? event.summary ?? "")
      case "PostToolBatch":
        return this.batch(payload)
      case "PreToolUse":
        return this.begin(base, event, payload)
      case "PostToolUse":
      case "PostToolUseFailure":
        return this.end(base, event, payload)
      case "PermissionDenied":
        return this.denied(event, payload)
      case "Stop":
        this.settle(undefined)
        return this.said(base, string(payload.last_assistant_message))
      case "SubagentStop":
        this.settle(agent)
        this.said({ ...base, agent: agent ?? "agent" }, string(payload.last_assistant_message))
        return this.push({ ...base, key: base.key + " end", agent: agent ?? "agent", kind: "note", word: "subagent_stop", text: type ?? "" })
      case "StopFailure":
        this.settle(undefined)
        return this.push({ ...base, kind: "error", word: "stop_failure", text: string(payload.error) ?? event.summary ?? "" })
      default:
        if (event.type.startsWith("prompt_") && this.judge(payload)) return this.other(base, event)
        return this.note(base, event, payload)
    }
  }

  private prompted(base: { key: string; seq: number; at: string }, text: string): void {
    const notice = noticeOf(text)
    if (!notice) return this.push({ ...base, kind: "you", text })
    this.push({ ...base, kind: "note", word: notice.word, text: notice.text, more: notice.more, end: taskEnd(text) })
  }

  /** Gives a call what its prompt tells. Returns false if the call is not here. */
  private judge(payload: Record<string, unknown>): boolean {
    const prompt = payload.prompt as Prompt | undefined
    if (!prompt?.id || prompt.kind === "input" || prompt.kind === "elicitation") return false
    const key = this.asked.get(prompt.id) ?? this.callOf(prompt)
    const at = key === undefined ? undefined : this.places.get(key)
    if (key === undefined || at === undefined) return false
    this.asked.set(prompt.id, key)
    this.items[at] = judged(this.items[at] as ToolItem, prompt)
    this.rule(at, prompt.answer?.by?.kind !== "rule")
    return true
  }

  /** A call like one that was allowed with a rule shows whether the rule took effect. */
  private rule(at: number, isAsked: boolean): void {
    const item = this.items[at] as ToolItem
    const key = callKey(item)
    const place = this.ruled.get(key)
    const before = place === undefined || place >= at ? undefined : (this.items[place] as ToolItem)
    if (place !== undefined && before) this.items[place] = { ...before, effect: isAsked ? "asked" : before.effect ?? "held" }
    if (isRuled(item)) this.ruled.set(key, at)
  }

  /** By Claude's id of the call; where that was not known in time, the latest call of the tool that has no prompt. */
  private callOf(prompt: Prompt): string | undefined {
    if (prompt.tool_use_id !== undefined && this.places.has(prompt.tool_use_id)) return prompt.tool_use_id
    const isOf = (item: Item) => item.kind === "tool" && item.state === "running" && item.name === prompt.tool_name
      && item.agent === (prompt.agent_id ?? undefined) && item.verdict === undefined
    return [...this.places].reverse().find(([, at]) => isOf(this.items[at]!))?.[0]
  }

  /** The results of several calls together; those that were refused have no event of their own. */
  private batch(payload: Record<string, unknown>): void {
    for (const one of Array.isArray(payload.tool_calls) ? payload.tool_calls.map(record) : []) {
      const at = this.places.get(string(one.tool_use_id) ?? "")
      if (at !== undefined) this.items[at] = batched(this.items[at] as ToolItem, one.tool_response)
    }
  }

  /** The turn is over: nothing of it runs or waits any more. A result that comes later still counts. */
  private settle(agent: string | undefined): void {
    for (const id of this.open) {
      const at = this.places.get(id)
      const item = at === undefined ? undefined : this.items[at]
      if (at === undefined || item?.kind !== "tool" || item.agent !== agent) continue
      this.open.delete(id)
      if (item.state === "running" || item.state === "waiting") this.items[at] = { ...item, state: "unknown" }
    }
  }

  private push(item: Item): void {
    this.items.push(item)
  }

  private said(base: { key: string; seq: number; at: string; agent?: string }, text: string | undefined): void {
    if (text) this.push({ ...base, kind: "text", text })
  }

  private begin(base: { key: string; seq: number; at: string }, event: MonitorEvent, payload: Record<string, unknown>): void {
    const id = string(payload.tool_use_id)
    const item: ToolItem = {
      ...base,
      key: this.keyOf(id) ?? base.key,
      kind: "tool",
      name: event.tool_name ?? string(payload.tool_name) ?? "",
      input: record(payload.tool_input),
      summary: event.summary ?? "",
      state: "running",
    }
    this.push(item)
    if (!id) return
    this.open.add(id)
    this.places.set(id, this.items.length - 1)
  }

  /** A call's row keeps its key when the page with its beginning is read after that with its end. */
  private keyOf(id: string | undefined): string | undefined {
    if (!id || this.keys.has(id)) return undefined
    this.keys.add(id)
    return id
  }

  private end(base: { key: string; seq: number; at: string }, event: MonitorEvent, payload: Record<string, unknown>): void {
    const id = string(payload.tool_use_id) ?? ""
    if (!this.places.has(id) || this.isEnded(id)) this.begin(base, event, payload)
    this.open.delete(id)
    const at = this.places.get(id) ?? this.items.length - 1
    const item = { ...this.items[at] } as ToolItem
    this.items[at] = item
    const failed = event.hook_event_name === "PostToolUseFailure"
    item.state = failed ? "failed" : "done"
    item.result = payload.tool_response
    item.error = failed ? string(payload.error) : undefined
    item.isInterrupted = payload.is_interrupt === true
    item.milliseconds = typeof payload.duration_ms === "number" ? payload.duration_ms : undefined
    if (Object.keys(record(payload.tool_input)).length > 0) item.input = record(payload.tool_input)
    if (!item.verdict && !failed) this.rule(at, false)
  }

  private isEnded(id: string): boolean {
    const item = this.items[this.places.get(id) ?? -1]
    return item?.kind === "tool" && (item.state === "done" || item.state === "failed")
  }

  private denied(event: MonitorEvent, payload: Record<string, unknown>): void {
    const at = this.places.get(string(payload.tool_use_id) ?? "")
    if (at === undefined) return
    this.items[at] = { ...(this.items[at] as ToolItem), state: "denied", error: string(payload.reason) ?? event.summary }
  }

  private note(base: { key: string; seq: number; at: string }, event: MonitorEvent, payload: Record<string, unknown>): void {
    const word = event.type
    if (!noted.has(word) || (word === "notification" && payload.notification_type !== "auth_success")) return this.other(base, event)
    const text = word === "prompt_closed" ? closing(payload.prompt as Prompt | undefined)
      : (word === "session_end" ? string(payload.reason) : word === "subagent_start" ? string(payload.agent_type) : undefined)
        ?? event.summary ?? ""
    this.push({ ...base, kind: "note", word, text })
  }

  /** The log has a line for every event. */
  private other(base: { key: string; seq: number; at: string }, event: MonitorEvent): void {
    if (this.isLog && event.type !== "transcript") this.push({ ...base, kind: "note", word: event.type, text: event.summary ?? "" })
  }
}

/** Events that are a line of their own; the others show in the items of their tools, or not at all. */
const noted = new Set([
  "session_start", "session_end", "pre_compact", "post_compact", "post_model_switch", "prompt_closed", "subagent_start",
  "cwd_changed", "notification", "pre_skill_shell_command", "session_interrupted",
])

/** How a prompt ended whose call is not here. */
function closing(prompt: Prompt | undefined): string {
  if (!prompt?.kind) return ""
  const said = prompt.answer?.said
  return endOf(prompt.kind, prompt.state, prompt.answer, null) + (said ? `: “${said}”` : "")
}

export function build(events: readonly MonitorEvent[], isLog = false): TimelineBuilder {
  const builder = new TimelineBuilder(isLog)
  for (const event of events) builder.add(event)
  return builder
}
