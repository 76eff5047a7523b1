import assert from "node:assert/strict"
import { test } from "node:test"
import "./browser"
import { freshOf } from "../src/state/tabNotices"

test("what is there at first is not fresh", () => {
  assert.deepEqual(freshOf(null, [{ id: "a" }]), [])
  assert.deepEqual(freshOf(new Set(["a"]), [{ id: "a" }, { id: "b" }]), [{ id: "b" }])
})
