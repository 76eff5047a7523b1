import assert from "node:assert/strict"
import { test } from "node:test"
import type { Entry } from "../src/state/groups"
import { countNeeding, withoutClosed, type Given } from "../src/state/given"
import { neighbour, openedOf } from "../src/state/inbox"
import { prompt, session } from "./samples"

const none = new Map<string, Given>()

function entry(...prompts: ReturnType<typeof prompt>[]): Entry {
  return { session: session(prompts[0]!.id), group: "needs", prompts }
}

function held(id: string, phase: Given["phase"] = "held"): Map<string, Given> {
  return new Map([[id, { prompt: prompt(id), answer: {}, phase, until: 0, error: null }]])
}

test("the first that waits is open", () => {
  assert.equal(openedOf([entry(prompt("a")), entry(prompt("b"))], null, none), "a")
})

test("the open one stays, whatever comes above it", () => {
  assert.equal(openedOf([entry(prompt("new")), entry(prompt("a"))], "a", none), "a")
})

test("an answered one stays in its place as long as the list is held, then the next follows", () => {
  const over = prompt("a", { state: "answered" })
  const place = { ...entry(over), keeps: ["a"] }
  assert.equal(openedOf([place, entry(prompt("b"))], "a", none), "a")
  assert.equal(openedOf([entry(over), entry(prompt("b"))], "a", none), "b")
})

test("an answer that can be taken back keeps its card open, and is not offered again", () => {
  const list = [entry(prompt("a")), entry(prompt("b"))]
  assert.equal(openedOf(list, "a", held("a")), "a")
  assert.equal(neighbour(list, "b", -1, held("a")), "b")
  assert.equal(neighbour(list, "b", 1, held("a")), "b")
})

test("the next after the last is the first that still waits", () => {
  const list = [entry(prompt("a")), entry(prompt("b", { state: "answered" })), entry(prompt("c"))]
  assert.equal(neighbour(list, "a", 1, none), "c")
  assert.equal(neighbour(list, "c", 1, none), "a")
  assert.equal(neighbour(list, "a", -1, none), "a")
})

test("what was answered here does not count as waiting; an idle session waits for nobody", () => {
  const all = new Map([prompt("a"), prompt("b"), prompt("c", { kind: "input" })].map((one) => [one.id, one]))
  assert.equal(countNeeding(all, none), 2)
  assert.equal(countNeeding(all, held("a")), 1)
  assert.equal(countNeeding(all, held("a", "failed")), 2)
})

test("an answer that was not sent is void once another one counts", () => {
  const over = new Map([["a", prompt("a", { state: "answered" })]])
  assert.equal(withoutClosed(held("a"), over).size, 0)
  assert.equal(withoutClosed(held("a", "sending"), over).size, 1)
  assert.equal(withoutClosed(held("a", "failed"), over).size, 1, "why it failed is still said")
  assert.equal(withoutClosed(held("a"), new Map([["a", prompt("a")]])).size, 1)
})
