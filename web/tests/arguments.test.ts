import assert from "node:assert/strict"
import { test } from "node:test"
import { argumentsOf, choicesOf, fieldsOf } from "../src/tools/arguments"

const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required })
const given = (schema: unknown, texts: Record<string, string>) => {
  const { arguments: all, problems } = argumentsOf(fieldsOf(schema), new Map(Object.entries(texts)))
  return [all, Object.fromEntries([...problems].map(([name, one]) => [name, one.word]))]
}

test("each argument has a field of its kind", () => {
  const kinds = (schema: unknown) => fieldsOf(schema).map((one) => [one.member.path, one.kind])
  assert.deepEqual(kinds(object({
    text: { type: "string" }, maybe: { anyOf: [{ type: "string" }, { type: "null" }] }, count: { type: "integer" }, part: { type: "number" },
    is: { type: "boolean" }, one: { enum: ["a", 1, null] }, list: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "number" } }, inner: object({ x: {} }), several: { type: ["string", "number"] }, any: {},
  })), [["text", "text"], ["maybe", "text"], ["count", "number"], ["part", "number"], ["is", "choice"], ["one", "choice"], ["list", "list"],
    ["numbers", "json"], ["inner", "json"], ["several", "json"], ["any", "json"]])
  assert.deepEqual(fieldsOf({}), [])
})

test("defaults stand in the fields, unless a field cannot show them", () => {
  const initial = fieldsOf(object({
    text: { type: "string", default: "a" }, count: { type: "integer", default: 3 }, is: { type: "boolean", default: false },
    one: { enum: ["a", "b"], default: "b" }, other: { enum: ["a"], default: "z" }, list: { type: "array", items: { type: "string" }, default: ["a", "b"] },
    lines: { type: "array", items: { type: "string" }, default: ["a\nb"] }, inner: { type: "object", default: { x: 1 } }, wrong: { type: "number", default: "many" },
  })).map((one) => one.initial)
  assert.deepEqual(initial, ["a", "3", "false", '"b"', "", "a\nb", JSON.stringify(["a\nb"], null, 2), JSON.stringify({ x: 1 }, null, 2), ""])
})

test("the only value of a required argument stands there at once", () => {
  assert.deepEqual(fieldsOf(object({ kind: { const: "file" } }, ["kind"])).map((one) => one.initial), ['"file"'])
  assert.deepEqual(fieldsOf(object({ kind: { const: "file" } })).map((one) => one.initial), [""])
})

test("arguments have the types of the schema, and what is empty is left out", () => {
  assert.deepEqual(given(object({
    text: { type: "string" }, none: { type: "string" }, count: { type: "integer" }, is: { type: "boolean" }, one: { enum: ["a", 1] },
    list: { type: "array", items: { type: "string" } }, inner: { type: "object" }, any: {},
  }), { text: " a ", none: "", count: " 3 ", is: "true", one: "1", list: "a\n\nb c\n", inner: '{"x":[1]}', any: "null" }),
  [{ text: " a ", count: 3, is: true, one: 1, list: ["a", "b c"], inner: { x: [1] }, any: null }, {}])
})

test("what does not fit is named", () => {
  const schema = object({
    need: { type: "string" }, count: { type: "integer", minimum: 1, maximum: 5 }, part: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    name: { type: "string", minLength: 2, maxLength: 3 }, list: { type: "array", items: { type: "string" }, maxItems: 1 },
    inner: { type: "object" }, is: { type: "boolean" },
  }, ["need", "is"])
  const problems = (texts: Record<string, string>) => given(schema, { need: "x", is: "true", ...texts })[1]
  assert.deepEqual(problems({}), {})
  assert.deepEqual(problems({ need: "", is: "" }), { need: "try.needed", is: "try.needed" })
  assert.deepEqual(problems({ count: "x", part: "1e999" }), { count: "try.noNumber", part: "try.noNumber" })
  assert.deepEqual(problems({ count: "1.5" }), { count: "try.noInteger" })
  assert.deepEqual(problems({ count: "0x3", part: "9007199254740993" }), { count: "try.noNumber", part: "try.inexact" })
  assert.deepEqual(problems({ count: "0", part: "0" }), { count: "try.least", part: "try.above" })
  assert.deepEqual(problems({ count: "6", part: "1" }), { count: "try.most", part: "try.below" })
  assert.deepEqual(problems({ name: "a", list: "a\nb" }), { name: "try.length", list: "try.items" })
  assert.deepEqual(problems({ name: "😀😀" }), {})
  assert.deepEqual(problems({ inner: "{" }), { inner: "try.noJSON" })
  assert.deepEqual(problems({ inner: "[]" }), { inner: "try.otherType" })
  for (const inexact of ['{"id":9007199254740993}', '{"a":[{"b":-9007199254740992}]}', '{"x":1e400}', '{"x":1e20}']) {
    assert.deepEqual(problems({ inner: inexact }), { inner: "try.inexact" }, inexact)
  }
  for (const exact of ['{"id":9007199254740991}', '{"9007199254740993":"a \\" 9007199254740993"}', '{"x":1.5e3,"y":-0.25}']) {
    assert.deepEqual(problems({ inner: exact }), {}, exact)
  }
  // A value with a problem is not sent.
  assert.deepEqual(given(schema, { need: "x", is: "true", count: "0" })[0], { need: "x", is: true })
})

test("names of others are only names", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"toString":{"type":"number"}}}') as unknown
  const { arguments: all } = argumentsOf(fieldsOf(schema), new Map([["__proto__", "a"], ["toString", "1"]]))
  assert.deepEqual(Object.entries(all), [["__proto__", "a"], ["toString", 1]])
  assert.equal(Object.getPrototypeOf(all), Object.prototype)
})

test("many values are a text, not a choice", () => {
  const schema = object({ one: { type: "string", enum: Array.from({ length: 500 }, (_, index) => "v" + index) } })
  assert.equal(fieldsOf(schema)[0]?.kind, "text")
  assert.deepEqual(choicesOf(fieldsOf(object({ is: { type: "boolean" } }))[0]!.member), ["true", "false"])
})
