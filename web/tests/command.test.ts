import assert from "node:assert/strict"
import { test } from "node:test"
import { isCommand, matching, type Command } from "../src/drive/command"

const known: Command[] = [{ name: "clear" }, { name: "compact", argument_hint: "[instructions]" }, { name: "model" }]

test("the commands that begin with what is typed are offered until a name is whole", () => {
  const names = (text: string) => matching(known, text).map((one) => one.name)
  assert.deepEqual(names("/"), ["clear", "compact", "model"])
  assert.deepEqual(names("/c"), ["clear", "compact"])
  assert.deepEqual(names("/clear"), [])
  assert.deepEqual(names("/compact briefly"), [])
  assert.deepEqual(names("/x"), [])
  assert.deepEqual(names("a /c"), [])
})

test("only a known name makes a command", () => {
  for (const text of ["/clear", "/clear ", "/compact briefly", "/model\nopus"]) assert.equal(isCommand(known, text), true, text)
  for (const text of ["/", "/cle", "clear", "/etc/hosts is empty", "a /clear", ""]) assert.equal(isCommand(known, text), false, text)
})
