import assert from "node:assert/strict"
import { test } from "node:test"
import { agentFacts } from "../src/timeline/agents"
import { build } from "../src/timeline/build"
import { fold, type Entry } from "../src/timeline/fold"
import { foldedLines } from "../src/timeline/lines"
import { hook } from "./samples"

function calls(from: number, count: number, more: Record<string, unknown> = {}) {
  return Array.from({ length: count }, (_, index) => {
    const call = { tool_name: "Bash", tool_use_id: `t${from + index}`, tool_input: { command: `step ${from + index}` }, ...more }
    return [hook("PreToolUse", call), hook("PostToolUse", { ...call, tool_response: "ok" })]
  }).flat()
}

const said = (text: string) => hook("Stop", { last_assistant_message: text })
const asked = (prompt: string) => hook("UserPromptSubmit", { prompt })
const kinds = (entries: Entry[]) => entries.map((entry) => entry.kind === "item" ? entry.item.kind : entry.kind)

test("calls between two texts are one line; the last group lists its calls", () => {
  const { items } = build([asked("Go"), ...calls(1, 7), said("Done"), asked("On"), ...calls(8, 2)])
  const entries = fold(items)
  assert.deepEqual(kinds(entries), ["you", "calls", "text", "you", "calls"])
  const { lines, homes } = foldedLines(entries, new Map())
  assert.deepEqual(lines.map((line) => line.kind), ["item", "calls", "item", "item", "calls", "item", "item"])
  const inside = homes.get("t3")?.inside ?? []
  assert.equal(inside.length, 1)
  assert.ok(foldedLines(entries, new Map([[inside[0] ?? "", true]])).lines.some((line) => line.key === "t3"))
})

test("a group keeps its name as older pages are read", () => {
  const events = [asked("Go"), ...calls(1, 7), said("Done")]
  const name = (from: number) => fold(build(events.slice(from)).items).find((entry) => entry.kind === "calls")
  assert.deepEqual([name(0), name(5)].map((entry) => entry?.kind === "calls" && entry.key), Array(2).fill(`calls::${events[events.length - 1]?.seq}`))
})

test("one call needs no line around it", () => {
  assert.deepEqual(kinds(fold(build([asked("Go"), ...calls(1, 1), said("Done")]).items)), ["you", "tool", "text"])
})

test("subagents that run beside each other have a card each, with their calls and results", () => {
  const agent = (id: string) => ({ agent_id: id, agent_type: "Explore" })
  const start = (id: string) => hook("PreToolUse", { tool_name: "Agent", tool_use_id: id, tool_input: { description: id, subagent_type: "Explore" } })
  const { items } = build([
    asked("Look"), start("c1"), start("c2"), { ...hook("SubagentStart", agent("a1")), type: "subagent_start" },
    { ...hook("SubagentStart", agent("a2")), type: "subagent_start" }, ...calls(10, 2, agent("a2")), ...calls(20, 3, agent("a1")),
    hook("SubagentStop", { ...agent("a2"), last_assistant_message: "Two." }),
    hook("PostToolUse", { tool_name: "Agent", tool_use_id: "c2", tool_input: {}, tool_response: { agentId: "a2", totalTokens: 50, totalToolUseCount: 2 } }),
  ])
  const cards = fold(items).flatMap((entry) => entry.kind === "agent" ? [entry] : [])
  assert.deepEqual(cards.map((card) => card.agent.id), ["a1", "a2"])
  assert.deepEqual(cards.map((card) => agentFacts(card.agent).calls), [3, 2])
  assert.deepEqual(cards.map((card) => agentFacts(card.agent).state), ["running", "done"])
  assert.equal(agentFacts(cards[1]!.agent).result, "Two.")
  assert.equal(agentFacts(cards[1]!.agent).tokens, 50)
})

test("a subagent of a subagent stands inside its card", () => {
  const outer = { agent_id: "a1", agent_type: "general-purpose" }
  const inner = { agent_id: "a2", agent_type: "Explore" }
  const { items } = build([
    hook("PreToolUse", { tool_name: "Agent", tool_use_id: "c1", tool_input: { subagent_type: "general-purpose" } }), ...calls(1, 1, outer),
    hook("PreToolUse", { tool_name: "Agent", tool_use_id: "c2", tool_input: { subagent_type: "Explore" }, ...outer }), ...calls(2, 1, inner),
  ])
  const [card] = fold(items)
  assert.ok(card?.kind === "agent" && card.agent.id === "a1")
  assert.deepEqual(card.entries.map((entry) => entry.kind === "agent" ? entry.agent.id : entry.kind), ["item", "a2"])
})

test("tasks are one list, with what is done", () => {
  const call = (id: string, name: string, input: object, response: object = {}) => [
    hook("PreToolUse", { tool_name: name, tool_use_id: id, tool_input: input }),
    hook("PostToolUse", { tool_name: name, tool_use_id: id, tool_input: input, tool_response: response })]
  const { items } = build([
    ...call("k1", "TaskCreate", { subject: "Read" }, { task: { id: "1" } }), ...call("k2", "TaskCreate", { subject: "Write" }, { task: { id: "2" } }),
    said("Begin"), ...call("k3", "TaskUpdate", { taskId: "1", status: "completed" }), ...call("k4", "TaskUpdate", { taskId: "2", status: "in_progress" }),
  ])
  const lists = fold(items).flatMap((entry) => entry.kind === "tasks" ? [entry] : [])
  assert.deepEqual(lists.map((list) => list.tasks.map((task) => task.state)), [["pending", "pending"], ["completed", "in_progress"]])
  assert.deepEqual(lists.map((list) => list.isLast), [false, true])
})

test("what a person answered with words stands apart", () => {
  const events = [...calls(1, 2), hook("PreToolUse", { tool_name: "AskUserQuestion", tool_use_id: "q", tool_input: { questions: [] } }), ...calls(3, 2)]
  assert.deepEqual(kinds(fold(build(events).items)), ["calls", "tool", "calls"])
})
