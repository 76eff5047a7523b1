import { agentsOf, type Agent, type Agents } from "./agents"
import type { Item, ToolItem } from "./model"
import { isTaskCall, tasksAfter, type Task } from "./tasks"

/** A part of a conversation. Entries inside others are shown when these are open. */
export type Entry =
  /** `isLast`: after it nothing was said. */
  | { kind: "item"; item: Item; isLast?: boolean }
  /** Calls between two texts. */
  | { kind: "calls"; key: string; calls: ToolItem[]; entries: Entry[]; isLast: boolean }
  | { kind: "agent"; key: string; agent: Agent; entries: Entry[] }
  /** The list of tasks after the calls about it. */
  | { kind: "tasks"; key: string; calls: ToolItem[]; tasks: readonly Task[]; isLast: boolean }

/** The conversation of a session: what was said, with the work between it folded. */
export function fold(items: readonly Item[]): Entry[] {
  const agents = agentsOf(items)
  const entries = new Folding(agents, "").fold(items.filter((item) => item.agent === undefined || agents.byFirst.has(item.key)))
  const last = entries.filter((entry) => entry.kind === "tasks").pop()
  if (last?.kind === "tasks") last.isLast = true
  return entries
}

/** Notes that tell nothing beside the cards and calls around them; the log has them. */
const quiet = new Set(["subagent_start", "subagent_stop", "cwd_changed", "notification", "other"])

/** Calls that are a part of what was said: plans, questions, and what a person denied or answered with words. */
export function isSaid(item: Item): boolean {
  if (item.kind !== "tool") return false
  const isDenied = item.state === "denied" && item.verdict !== undefined
  return isDenied || item.name === "ExitPlanMode" || item.name === "AskUserQuestion" || Boolean(item.verdict?.answer?.said)
}

/** What the agent does between two texts. A command that a skill runs is no call of a tool. */
function isWork(item: Item): boolean {
  if (item.kind === "note") return item.word === "pre_skill_shell_command"
  return item.kind === "thinking" || (item.kind === "tool" && !isSaid(item))
}

class Folding {
  private readonly out: Entry[] = []
  private group: Entry[] = []
  private touched: ToolItem[] = []
  private tasks: readonly Task[] = []

  /** @param of the agent whose items these are; empty: the session itself */
  constructor(private readonly agents: Agents, private readonly of: string) {}

  fold(items: readonly Item[]): Entry[] {
    for (const item of items) this.take(item)
    this.flush("end")
    return this.out
  }

  private take(item: Item): void {
    const agent = this.agents.byCall.get(item.key) ?? (item.agent === (this.of || undefined) ? undefined : this.agents.byFirst.get(item.key))
    if (agent) return void this.group.push(this.card(agent))
    if (isTaskCall(item) && !this.of) {
      this.tasks = tasksAfter(this.tasks, item)
      this.touched.push(item)
    } else if (item.kind === "note" && (quiet.has(item.word) || isAgain(item))) {
      return
    } else if (isWork(item)) {
      this.group.push({ kind: "item", item })
    } else {
      this.flush(item.key)
      this.say(item)
    }
  }

  /** A compaction that has ended takes the place of its beginning. */
  private say(item: Item): void {
    const before = this.out[this.out.length - 1]
    const isEnd = item.kind === "note" && item.word === "post_compact"
    if (isEnd && before?.kind === "item" && before.item.kind === "note" && before.item.word === "pre_compact") this.out.pop()
    this.out.push({ kind: "item", item })
  }

  private card(agent: Agent): Entry {
    const own = agent.items.filter((item) => !(item.kind === "text" && item === agent.items[agent.items.length - 1]))
    return { kind: "agent", key: "agent:" + agent.id, agent, entries: new Folding(this.agents, agent.id).fold(own) }
  }

  /** @param next what comes after the calls: it names their group, which grows at its beginning as older pages are read */
  private flush(next: string): void {
    const { group, touched } = this
    this.group = []
    this.touched = []
    const isLast = next === "end"
    const calls = group.flatMap((entry) => entry.kind === "item" && entry.item.kind === "tool" ? [entry.item] : [])
    if (calls.length > 1) this.out.push({ kind: "calls", key: `calls:${this.of}:${next}`, calls, entries: group, isLast })
    else for (const entry of group) this.out.push(entry.kind === "item" ? { ...entry, isLast } : entry)
    const call = touched[touched.length - 1]
    if (call && this.tasks.length > 0) this.out.push({ kind: "tasks", key: "tasks:" + call.key, calls: touched, tasks: this.tasks, isLast: false })
  }
}

/** After a compaction the client starts the session anew. */
function isAgain(item: Item): boolean {
  return item.kind === "note" && item.word === "session_start" && /^compact\b/.test(item.text)
}
