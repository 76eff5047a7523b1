import assert from "node:assert/strict"
import { test } from "node:test"
import { contentOf, initialValue } from "../src/prompts/form"

test("a form sends no default that its fields cannot show", () => {
  const properties = {
    count: { type: "integer", default: "many" }, day: { type: "string", format: "date", default: "tomorrow" },
    size: { type: "string", enum: ["S", "M"], default: "XL" }, tags: { type: "array", items: { enum: ["a", "b"] }, default: ["a", "z"] },
    name: { type: "string", default: "atlas" },
  } as const
  const values = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, initialValue(field as never)]))
  assert.deepEqual(values, { count: "", day: "", size: "", tags: ["a"], name: "atlas" })
  assert.deepEqual(contentOf({ type: "object", properties } as never, values), { tags: ["a"], name: "atlas" })
})

test("a time is shown by the person's clock and sent as the same moment", () => {
  const field = { type: "string", format: "date-time", default: "2026-01-05T10:00:00Z" } as never
  const properties = { at: field }
  assert.deepEqual(contentOf({ type: "object", properties } as never, { at: initialValue(field) }), { at: "2026-01-05T10:00:00.000Z" })
})
