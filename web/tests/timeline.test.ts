import assert from "node:assert/strict"
import { test } from "node:test"
import { build } from "../src/timeline/build"
import type { Item, ToolItem } from "../src/timeline/model"
import { noticeOf } from "../src/timeline/notices"
import { toolOutcome } from "../src/timeline/tools"
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
