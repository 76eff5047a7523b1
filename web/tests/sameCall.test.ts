import assert from "node:assert/strict"
import { test } from "node:test"
import { alikeOf } from "../src/prompts/sameCall"
import { prompt } from "./samples"

const push = { answerable: true, tool_input: { command: "git push", timeout: 5 } }

test("prompts for the same call are alike, whatever the order of its members", () => {
  const one = prompt("a", push)
  const other = prompt("b", { ...push, session_id: "t", tool_input: { timeout: 5, command: "git push" } })
  assert.deepEqual(alikeOf(one, [one, other]).map(({ id }) => id), ["a", "b"])
})

test("what differs, is masked, cut, closed or not answerable is not alike", () => {
  const one = prompt("a", push)
  const others = [
    prompt("b", { ...push, tool_input: { command: "git pull", timeout: 5 } }), prompt("c", { ...push, tool_name: "Other" }),
    prompt("d", { ...push, masked: ["/command"] }), prompt("e", { ...push, content_truncated: true }),
    prompt("f", { ...push, state: "answered" }), prompt("g", { ...push, answerable: false }),
  ]
  assert.deepEqual(alikeOf(one, [one, ...others]).map(({ id }) => id), ["a"])
  assert.deepEqual(alikeOf(others[2]!, others), [])
})
