import assert from "node:assert/strict"
import { test } from "node:test"
import { hasUndo } from "../src/prompts/undo"
import { prompt } from "./samples"

const once = { decision: "allow", scope: "once" }

test("only answers that cannot be taken back wait", () => {
  const cases: [Parameters<typeof hasUndo>[0], Record<string, unknown>, boolean][] = [
    [prompt("a", { risk: "read" }), once, false],
    [prompt("a", { risk: "execute" }), { decision: "allow", scope: "session" }, false],
    [prompt("a", { risk: "network" }), once, false],
    [prompt("a", { risk: "delete" }), once, true],
    [prompt("a", { risk: "credentials" }), once, true],
    [prompt("a", { risk: "publish" }), once, true],
    [prompt("a", { risk: "publish" }), { decision: "deny" }, false],
    [prompt("a", { risk: "edit" }), { ...once, permissions: ["setMode"] }, true],
    [prompt("a", { risk: "read" }), { ...once, updated_input: { command: "rm x" } }, true],
    [prompt("a", { risk: "read" }), { decision: "allow", scope: "always" }, true],
    [prompt("a", { risk: "read" }), { decision: "deny", interrupt: true }, true],
    [prompt("a", { kind: "plan", risk: "read" }), { decision: "allow", mode: "acceptEdits" }, true],
    [prompt("a", { kind: "plan", risk: "read" }), { decision: "allow", mode: "default" }, false],
    [prompt("a", { kind: "question" }), { answers: { a: "b" } }, false],
    [prompt("a", { kind: "elicitation" }), { action: "accept" }, false],
  ]
  for (const [asked, answer, expected] of cases) assert.equal(hasUndo(asked, answer, false), expected, JSON.stringify([asked.risk, answer]))
})

test("the setting widens it to every answer", () => {
  assert.equal(hasUndo(prompt("a", { risk: "read" }), { decision: "deny" }, true), true)
})
