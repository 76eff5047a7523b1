import { record, string, type Item, type MonitorEvent, type ToolItem } from "./model"

/**
 * The items of a timeline, from events in the order of `seq`. A tool's result completes the item of its call, wherever
 * that stands, so an item keeps its place.
 */
export class TimelineBuilder {
  readonly items: Item[] = []
  private readonly calls = new Map<string, ToolItem>()
  private readonly keys = new Set<string>()
  private readonly agentTypes = new Map<string, string>()

  add(event: MonitorEvent): void {
    const payload = record(event.payload)
    const agent = string(payload.agent_id)
    const type = agent && (string(payload.agent_type) ?? this.agentTypes.get(agent))
    if (agent && type) this.agentTypes.set(agent, type)
    const base = {
      key: String(event.seq), seq: event.seq, at: event.timestamp, ...(agent ? { agent } : {}), ...(type ? { agentType: type } : {}) }
    switch (event.hook_event_name) {
      case "UserPromptSubmit":
        return this.push({ ...base, kind: "you", text: string(payload.prompt) ?? event.summary ?? "" })
      case "PreToolUse":
        return this.begin(base, event, payload)
      case "PostToolUse":
      case "PostToolUseFailure":
        return this.end(base, event, payload)
      case "PermissionDenied":
        return this.denied(event, payload)
      case "Stop":
        return this.said(base, string(payload.last_assistant_message))
      case "SubagentStop":
        return this.said({ ...base, agent: agent ?? "agent" }, string(payload.last_assistant_message))
      case "StopFailure":
        return this.push({ ...base, kind: "error", word: "stop_failure", text: string(payload.error) ?? event.summary ?? "" })
      default:
        return this.note(base, event, payload)
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
    if (id) this.calls.set(id, item)
    this.push(item)
  }

  /** A call's row keeps its key when the page with its beginning is read after that with its end. */
  private keyOf(id: string | undefined): string | undefined {
    if (!id || this.keys.has(id)) return undefined
    this.keys.add(id)
    return id
  }

  private end(base: { key: string; seq: number; at: string }, event: MonitorEvent, payload: Record<string, unknown>): void {
    const id = string(payload.tool_use_id) ?? ""
    let item = this.calls.get(id)
    if (!item) {
      this.begin(base, event, payload)
      item = this.items[this.items.length - 1] as ToolItem
    } else {
      this.calls.delete(id)
      item = this.replace(item)
    }
    const failed = event.hook_event_name === "PostToolUseFailure"
    item.state = failed ? "failed" : "done"
    item.result = payload.tool_response
    item.error = failed ? string(payload.error) : undefined
    item.isInterrupted = payload.is_interrupt === true
    item.milliseconds = typeof payload.duration_ms === "number" ? payload.duration_ms : undefined
    if (Object.keys(record(payload.tool_input)).length > 0) item.input = record(payload.tool_input)
  }

  private denied(event: MonitorEvent, payload: Record<string, unknown>): void {
    const known = this.calls.get(string(payload.tool_use_id) ?? "")
    if (!known) return
    const item = this.replace(known)
    item.state = "denied"
    item.error = string(payload.reason) ?? event.summary
  }

  /** A changed item is a new object, so that its row is drawn again. Searches from the end, where calls are. */
  private replace(item: ToolItem): ToolItem {
    const fresh = { ...item }
    const at = this.items.lastIndexOf(item)
    if (at >= 0) this.items[at] = fresh
    return fresh
  }

  private note(base: { key: string; seq: number; at: string }, event: MonitorEvent, payload: Record<string, unknown>): void {
    const word = event.type
    if (!noted.has(word)) return
    if (word === "notification" && payload.notification_type !== "auth_success") return
    if (word === "prompt_updated") return
    const answer = record(record(payload.prompt).answer ?? payload.answer)
    const text = word === "prompt_closed" ? closing(answer)
      : (word === "session_end" ? string(payload.reason) : word === "subagent_start" ? string(payload.agent_type) : undefined)
        ?? event.summary ?? ""
    this.push({ ...base, kind: "note", word, text })
  }
}

/** Events that are a line of their own; the others show in the items of their tools, or not at all. */
const noted = new Set([
  "session_start", "session_end", "pre_compact", "post_compact", "post_model_switch", "prompt_closed", "subagent_start",
  "cwd_changed", "notification", "pre_skill_shell_command",
])

function closing(answer: Record<string, unknown>): string {
  const by = record(answer.by)
  return [string(answer.decision), string(by.name) ?? string(by.kind)].filter(Boolean).join(" · ")
}

export function build(events: readonly MonitorEvent[]): TimelineBuilder {
  const builder = new TimelineBuilder()
  for (const event of events) builder.add(event)
  return builder
}
