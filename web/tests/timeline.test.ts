import assert from "node:assert/strict"
import { test } from "node:test"
import { build } from "../src/timeline/build"
import type { Item, ToolItem } from "../src/timeline/model"
import { noticeOf } from "../src/timeline/notices"
import { toolOutcome } from "../src/timeline/tools"
import { earlierOf } from "../src/prompts/AskedAgain"
import { partOf, ruleOf } from "../src/prompts/rules"
import { hook, prompt, told } from "./samples"

const call = { tool_name: "Edit", tool_use_id: "toolu_1", tool_input: { file_path: "/a", old_string: "x", new_string: "y" } }
const asked = prompt("prm_1", { tool_name: "Edit", tool_use_id: "toolu_1" })
const denied = { ...asked, state: "answered" as const,
  answer: { decision: "deny", by: { kind: "device", id: "3", name: "Chrome · Linux" }, at: "2026-01-05T14:12:00Z", said: "Use the helper" } }

function only(items: readonly Item[]): ToolItem {
  const tools = items.filter((item) => item.kind === "tool")
  assert.equal(tools.length, 1)
  return tools[0] as ToolItem
}

test("a call waits while its prompt is open, and says so", () => {
  const item = only(build([hook("PreToolUse", call), told("prompt_opened", asked)]).items)
  assert.equal(item.state, "waiting")
  assert.equal(toolOutcome(item)?.text, "waits for you")
})

test("a denied call says by whom, when and why, and has no row for the prompt", () => {
  const { items } = build([hook("PreToolUse", call), told("prompt_opened", asked), told("prompt_closed", denied)])
  const item = only(items)
  assert.equal(item.state, "denied")
  assert.match(toolOutcome(item)?.text ?? "", /^Denied by you \(Chrome on Linux\), \d+:12: “Use the helper”$/)
  assert.equal(items.length, 1)
})

test("an allowed call runs again and is done with its result", () => {
  const allowed = { ...denied, answer: { ...denied.answer, decision: "allow" } }
  const events = [hook("PreToolUse", call), told("prompt_opened", asked), told("prompt_closed", allowed)]
  assert.equal(only(build(events).items).state, "running")
  assert.equal(only(build([...events, hook("PostToolUse", { ...call, tool_response: "ok" })]).items).state, "done")
})

test("a prompt whose call is not known by its id belongs to the call of its tool", () => {
  const unnamed = { ...asked, tool_use_id: "prm_1" }
  assert.equal(only(build([hook("PreToolUse", call), told("prompt_opened", unnamed)]).items).state, "waiting")
})

test("a prompt whose call is not here is a line of its own", () => {
  const { items } = build([told("prompt_closed", denied)])
  assert.equal(items.length, 1)
  assert.match((items[0] as { text: string }).text, /^Denied by you \(Chrome on Linux\): “Use the helper”$/)
})

test("nothing runs after the end of its turn; a late result still counts", () => {
  const events = [hook("PreToolUse", call), hook("Stop", {})]
  assert.equal(only(build(events).items).state, "unknown")
  assert.equal(only(build([...events, hook("PostToolUse", { ...call, tool_response: "ok" })]).items).state, "done")
})

test("a refusal at the terminal shows in the results of its batch", () => {
  const batch = { tool_calls: [{ ...call, tool_response: "The user doesn't want to proceed with this tool use." }] }
  assert.equal(only(build([hook("PreToolUse", call), hook("PostToolBatch", batch)]).items).state, "denied")
})

test("a notice of the client is one line and not the person's", () => {
  const text = "<task-notification>\n<task-id>a0</task-id>\n<status>completed</status>\n<summary>Agent \"review the callers\" finished</summary>\n"
    + "<result>All pass.</result>\n<usage><subagent_tokens>110</subagent_tokens><tool_uses>2</tool_uses></usage>\n</task-notification>"
  assert.deepEqual(noticeOf(text), { word: "task", text: "Agent “review the callers” finished · 2 tools · 110 tokens", more: "All pass." })
  const { items } = build([hook("UserPromptSubmit", { prompt: text })])
  assert.deepEqual(items.map((item) => item.kind), ["note"])
  assert.equal(noticeOf("Use <b>two</b> files"), null)
})

test("what the client or a tool tells in the place of a prompt is not the person's", () => {
  const kinds = (text: string) => build([hook("UserPromptSubmit", { prompt: text })]).items.map((item) => item.kind)
  for (const text of [
    "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>", "<local-command-caveat>x</local-command-caveat>\n<local-command-stdout>y</local-command-stdout>",
    '<tool_result tool_use_id="toolu_1">\nwombat\n</tool_result>', "<tool_use_error>No such file</tool_use_error>",
  ]) assert.deepEqual(kinds(text), ["note"], text)
  for (const text of ["<bash-stdout>a</bash-stdout> What is this?", "<b>Bold</b>", "<bash-stdout>a", ""]) assert.notDeepEqual(kinds(text), ["note"], text)
  assert.equal(noticeOf("<bash-stdout>a\nb</bash-stdout>\n<bash-stderr>c</bash-stderr>")?.more, "a\nb\n\nc")
})

test("a call that was allowed with a rule says whether the rule took effect", () => {
  const bash = (id: string) => ({ tool_name: "Bash", tool_use_id: id, tool_input: { command: "make all" } })
  const one = prompt("prm_r", { tool_name: "Bash", tool_use_id: "t1" })
  const allowed = { ...one, state: "answered" as const, answer: { decision: "allow", scope: "session", by: { kind: "device" }, at: "2026-01-05T10:00:00Z" } }
  const first = [hook("PreToolUse", bash("t1")), told("prompt_closed", allowed), hook("PostToolUse", bash("t1"))]
  const effect = (...more: ReturnType<typeof hook>[]) => (build([...first, ...more]).items[0] as ToolItem).effect
  assert.equal(effect(), undefined)
  assert.equal(effect(hook("PreToolUse", bash("t2")), hook("PostToolUse", bash("t2"))), "held")
  assert.equal(effect(hook("PreToolUse", bash("t2")), told("prompt_opened", { ...one, id: "prm_2", tool_use_id: "t2" })), "asked")
  const other = { ...bash("t3"), tool_input: { command: "make none" } }
  assert.equal(effect(hook("PreToolUse", other), hook("PostToolUse", other)), undefined)
})

test("a rule is said in words, part by part", () => {
  const asking = prompt("prm_s", { tool_input: { command: "make all && cat *.log" }, suggestions: [{ type: "addRules", behavior: "allow", destination: "localSettings",
    rules: [{ toolName: "Bash", ruleContent: "make all:*" }, { toolName: "Read", ruleContent: "//tmp/logs/**" }] }] })
  assert.deepEqual(ruleOf(asking)?.parts.map((part) => part.means), ["Commands that begin with “make all”", "Reading all files below /tmp/logs"])
  assert.equal(partOf("Bash", "make all").means, "Exactly this command")
})

test("a prompt for what a rule should cover names the answer that took no effect", () => {
  const answer = (scope: string, at: string) => ({ decision: "allow", scope, at })
  const again = prompt("b", { tool_input: { command: "make" }, opened_at: "2026-01-05T11:00:00Z" })
  const before = prompt("a", { state: "answered", tool_input: { command: "make" }, answer: answer("session", "2026-01-05T10:30:00Z") })
  assert.equal(earlierOf(again, [before])?.id, "a")
  assert.equal(earlierOf(again, [{ ...before, answer: answer("once", "2026-01-05T10:30:00Z") }]), null)
  assert.equal(earlierOf(again, [{ ...before, tool_input: { command: "make all" } }]), null)
  assert.equal(earlierOf(again, [{ ...before, answer: answer("session", "2026-01-05T11:30:00Z") }]), null)
})
