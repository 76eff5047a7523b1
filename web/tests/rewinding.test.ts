import assert from "node:assert/strict"
import { test } from "node:test"
import { personsMessages } from "../src/drive/rewinding"

const id = (number: number) => `0d0c1f6e-0000-4000-8000-00000000000${number}`
const message = (number: number, more: object = {}) =>
  ({ id: id(number), role: "user", timestamp: "2026-07-01T12:00:00.000Z", blocks: [{ type: "text", text: `message ${number}` }], ...more })

test("the person's own messages can be gone back to", () => {
  const data = [
    message(1), message(2, { role: "assistant" }), message(3, { is_meta: true }), message(4, { agent_id: "a" }),
    message(5, { blocks: [{ type: "tool_result", text: "done" }] }), message(6, { id: "17" }),
    message(7, { blocks: [{ type: "image" }, { type: "text", text: "like" }, { type: "text", text: "this" }] }),
  ]
  assert.deepEqual(personsMessages({ data, source: "transcript" }).map(({ id, text }) => [id, text]), [[id(1), "message 1"], [id(7), "like this"]])
})

test("hooks do not know the ids of messages", () => {
  assert.deepEqual(personsMessages({ data: [message(1)], source: "hooks" }), [])
  assert.deepEqual(personsMessages({ data: [message(1)] }), [])
})
