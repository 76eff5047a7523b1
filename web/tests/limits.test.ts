import assert from "node:assert/strict"
import { test } from "node:test"
import { callerOf, markOfCall, stateOfCall } from "../src/tools/callState"
import { listsOf, losesUnknown, serversOf, switchesOf, toggled, type SessionServer } from "../src/tools/limits"
import type { SessionLimits, Tool, ToolServer } from "../src/tools/requests"
import { toolWords } from "../src/words/tools.en"
import { addWords } from "../src/words/words"

addWords(toolWords)

const servers: SessionServer[] = [
  { name: "far", tools: [], isComplete: false }, { name: "git", tools: ["log", "status"], isComplete: true }, { name: "web", tools: ["fetch"], isComplete: true },
]
const limits = (enabled_servers: string[] | null, enabled_tools: string[] | null): SessionLimits =>
  ({ session_id: "s", enabled_servers, enabled_tools, priority: null, denied: [] })
const off = (stored: SessionLimits) => {
  const { servers: names, tools } = switchesOf(stored, servers)
  return [[...names], [...tools]]
}

test("without lists all is on", () => {
  assert.deepEqual(off(limits(null, null)), [[], []])
  assert.deepEqual(listsOf(switchesOf(limits(null, null), servers), servers), { enabled_servers: null, enabled_tools: null })
})

test("what the lists leave out is off", () => {
  assert.deepEqual(off(limits(["git"], null)), [["far", "web"], []])
  assert.deepEqual(off(limits([], null)), [["far", "git", "web"], []])
  // A server without a listed tool is denied as a whole.
  assert.deepEqual(off(limits(null, ["git.log"])), [["far", "web"], ["git.status"]])
  assert.deepEqual(off(limits(null, ["git__log", "mcp__web__fetch"])), [["far"], ["git.status"]])
})

test("lists say what the switches say", () => {
  for (const stored of [limits(null, null), limits(["git"], null), limits(["git", "web"], ["git.log", "web.fetch"]), limits([], null)]) {
    const { enabled_servers, enabled_tools } = listsOf(switchesOf(stored, servers), servers)
    assert.deepEqual([enabled_servers, enabled_tools], [stored.enabled_servers, stored.enabled_tools])
  }
  assert.deepEqual(listsOf({ servers: new Set(["web"]), tools: new Set(["web.fetch"]) }, servers), { enabled_servers: ["far", "git"], enabled_tools: null })
})

test("a tool that is off takes the unknown ones along", () => {
  const names = (stored: SessionLimits) => losesUnknown(switchesOf(stored, servers), servers).map((one) => one.name)
  assert.deepEqual(names(limits(null, null)), [])
  assert.deepEqual(losesUnknown({ servers: new Set(), tools: new Set(["git.log"]) }, servers).map((one) => one.name), ["far"])
  assert.deepEqual(losesUnknown({ servers: new Set(["far"]), tools: new Set(["git.log"]) }, servers), [])
})

test("servers of one name are one", () => {
  const server = (name: string, is_complete = true) => ({ name, is_complete }) as ToolServer
  const tool = (of: string, name: string) => ({ server: of, tool: name }) as Tool
  assert.deepEqual(serversOf([server("b"), server("a"), server("b", false)], [tool("b", "y"), tool("b", "x"), tool("b", "x"), tool("c", "z")]),
    [{ name: "a", tools: [], isComplete: true }, { name: "b", tools: ["x", "y"], isComplete: false }])
})

test("a switch is put and taken back", () => {
  assert.deepEqual([...toggled(new Set(["a"]), "b")], ["a", "b"])
  assert.deepEqual([...toggled(new Set(["a"]), "a")], [])
})

test("calls say what became of them, and who asked", () => {
  assert.deepEqual([stateOfCall({ status: "waiting" }), markOfCall({ status: "waiting" })], ["waits for a person", "wait"])
  assert.deepEqual([stateOfCall({ status: "completed", is_error: true }), markOfCall({ status: "completed", is_error: true })], ["The tool reports an error", "bad"])
  assert.equal(stateOfCall({ status: "later" }), "later")
  assert.deepEqual(["admin", "device:3", "device:4", "api_key:2"].map((one) => callerOf(one, "3")), ["the operator", "This browser", "device 4", "program 2"])
  assert.equal(callerOf("api_key:2", "3", "editor"), "editor")
})
