import assert from "node:assert/strict"
import { test } from "node:test"
import { serverHash, toolsAddress, toolsHash } from "../src/tools/address"
import { hintsOf } from "../src/tools/annotations"
import { changeOf, rawOf } from "../src/tools/change"
import type { Definition, ToolServer } from "../src/tools/requests"
import { membersOf } from "../src/tools/schema"
import { reasonOf, stateOf } from "../src/tools/state"
import { parse } from "../src/lib/route"
import { toolWords as german } from "../src/words/tools.de"
import { toolWords } from "../src/words/tools.en"
import { addWords, textFor } from "../src/words/words"

const row = (schema: unknown) => membersOf(schema).members.map((one) => [one.path, one.types.join("|"), one.isRequired])
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

test("each argument is a row with its type, whether it is required, and its words", () => {
  const { members, isWhole } = membersOf(object({
    path: { type: "string", description: "Where", minLength: 1 }, depth: { type: "integer", default: 3, minimum: 0 },
    mode: { enum: ["fast", "safe", null] }, tags: { type: "array", items: { type: "string" } }, any: {},
  }, { required: ["path"] }))
  assert.equal(isWhole, true)
  assert.deepEqual(members.map((one) => [one.path, one.types, one.isRequired]),
    [["path", ["string"], true], ["depth", ["integer"], false], ["mode", ["string", "null"], false], ["tags", ["array"], false], ["any", [], false]])
  assert.deepEqual([members[0]?.description, members[0]?.limits, members[1]?.initial, members[2]?.values, members[3]?.items],
    ["Where", [["minLength", 1]], "3", ['"fast"', '"safe"', "null"], ["string"]])
})

test("what lies inside has a path", () => {
  const inner = object({ name: { type: "string" } }, { required: ["name"] })
  assert.deepEqual(row(object({ filter: inner, list: { type: "array", items: inner } })),
    [["filter", "object", false], ["filter.name", "string", true], ["list", "array", false], ["list[].name", "string", true]])
})

test("references and variants are what they stand for", () => {
  const schema = object({
    one: { $ref: "#/$defs/Point", description: "Where" }, maybe: { anyOf: [{ type: "string" }, { type: "null" }] },
    either: { oneOf: [{ type: "string" }, { type: "integer" }] }, both: { allOf: [{ $ref: "#/$defs/Point" }, object({ z: { type: "number" } })] },
    word: { anyOf: [{ const: "a" }, { enum: ["b"] }] },
  }, { $defs: { Point: object({ x: { type: "number" } }, { required: ["x"] }) } })
  assert.deepEqual(row(schema), [["one", "object", false], ["one.x", "number", true], ["maybe", "string|null", false],
    ["either", "string|integer", false], ["both", "object", false], ["both.x", "number", true], ["both.z", "number", false], ["word", "string", false]])
  assert.deepEqual(membersOf(schema).members.at(-1)?.values, ['"a"', '"b"'])
  assert.equal(membersOf(schema).isWhole, true)
})

test("what a table cannot show is said to be missing", () => {
  const cases = [object({ a: { not: {} } }), object({}, { if: {}, then: {} }), object({ a: { anyOf: [object({ b: {} }), { type: "string" }, { type: "null" }] } })]
  for (const schema of cases) assert.equal(membersOf(schema).isWhole, false, JSON.stringify(schema))
})

test("no schema stops the page", () => {
  for (const schema of [null, 7, "text", [], {}, { properties: 3, required: 4 }, { properties: { a: null, b: [], c: 1 } }, { $ref: "#/$defs/a" },
    object({ a: { type: 5, enum: 6, items: 7, default: null, minimum: { toString: 1, valueOf: 1 }, description: {} } }), { anyOf: [null, 1] }]) {
    assert.doesNotThrow(() => membersOf(schema), JSON.stringify(schema))
  }
  const itself = { ...object({ next: { $ref: "#" } }) }
  assert.equal(membersOf(itself).isWhole, false)
  assert.ok(membersOf(itself).members.length <= 10)
  const wide = (name: string) => ({ allOf: Array.from({ length: 100 }, () => ({ $ref: "#/$defs/" + name })) })
  const bomb = { ...wide("b"), $defs: { b: wide("c"), c: wide("d"), d: wide("e"), e: wide("f"), f: object({ a: {} }) } }
  assert.equal(membersOf(bomb).isWhole, false)
  const many = object(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => ["a" + index, {}])))
  assert.deepEqual([membersOf(many).members.length, membersOf(many).isWhole], [200, false])
  const own = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}') as unknown
  assert.deepEqual(row(own), [["__proto__", "string", false], ["constructor", "number", false]])
})

test("hints are told only where the server gives them", () => {
  assert.deepEqual(hintsOf(undefined), [])
  assert.deepEqual(hintsOf({ readOnlyHint: "yes", title: "x" }), [])
  assert.deepEqual(hintsOf({ readOnlyHint: true, destructiveHint: true, openWorldHint: false }), ["hint.reads", "hint.closed"])
  assert.deepEqual(hintsOf({ readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }),
    ["hint.changes", "hint.destroys", "hint.repeats", "hint.open"])
  assert.deepEqual(hintsOf({ destructiveHint: false }), ["hint.adds"])
})

const definition = (more: Partial<Definition> = {}): Definition =>
  ({ description: "Shows the tree.", parameters: { type: "object" }, annotations: { readOnlyHint: true }, digest: "1", ...more })

test("a change names the parts that differ, with both texts", () => {
  const fresh = definition({ description: "Sends it away.", parameters: object({ to: { type: "string" } }), annotations: undefined, title: "Tree" })
  const change = changeOf(definition(), fresh)
  assert.deepEqual(change.parts.map((one) => one.part), ["title", "description", "parameters", "annotations"])
  assert.deepEqual(change.parts[1]?.lines.map((line) => [line.kind, line.text]), [["del", "Shows the tree."], ["add", "Sends it away."]])
  assert.ok(change.parts[2]?.lines.some((line) => line.kind === "add" && line.text.includes('"to"')))
  assert.ok(change.parts[3]?.lines.every((line) => line.kind === "del"))
  assert.equal(change.isCut, false)
})

test("a difference that is not shown is known as one", () => {
  assert.deepEqual(changeOf(definition(), definition({ digest: "2" })), { parts: [], isCut: false })
  assert.equal(changeOf(definition(), definition({ description: "x".repeat(10_000) })).isCut, true)
  assert.equal(changeOf(definition(), definition({ description: "😀".repeat(9_999) })).isCut, false)
  assert.equal(changeOf(definition(), definition({ title: "x".repeat(200) })).isCut, true)
})

test("the raw definition is what the server says, and no more", () => {
  assert.deepEqual(JSON.parse(rawOf({ ...definition(), name: "git.status" } as Definition)),
    { description: "Shows the tree.", parameters: { type: "object" }, annotations: { readOnlyHint: true } })
})

test("the address has what the views show", () => {
  assert.deepEqual(toolsAddress("q=a%20b&machine=mac"), { text: "a b", machine: "mac", project: "" })
  assert.equal(toolsHash(toolsAddress("q=a&machine=mac&project=p1")), "#/tools?q=a&project=p1")
  assert.equal(toolsHash(toolsAddress("")), "#/tools")
  assert.deepEqual(parse(serverHash("mcp_1", "read.me")), { view: "tools", id: "mcp_1", query: "tool=read.me" })
})

test("the state of a server is said in words, and so is why", () => {
  const server = (state: string, reason?: string) => ({ state, reason }) as ToolServer
  addWords(toolWords)
  assert.equal(stateOf(server("unlisted")), "Not asked for its tools")
  assert.match(reasonOf(server("unlisted", "remote")) ?? "", /over the network/)
  assert.equal(reasonOf(server("failed", "exit 3")), "exit 3")
  assert.match(reasonOf(server("needs-auth")) ?? "", /Sign in/)
  assert.equal(reasonOf(server("connected")), null)
  assert.equal(stateOf(server("strange")), "strange")
  assert.equal(textFor("server.state.pending"), "Still connecting")
  const values = (text: string) => [...new Set(text.match(/\{\w+/g) ?? [])].sort()
  for (const [word, text] of Object.entries(toolWords)) assert.deepEqual(values(german[word as keyof typeof german]), values(text), word)
})
