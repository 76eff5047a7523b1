import assert from "node:assert/strict"
import { test } from "node:test"
import { shownJSON } from "../src/tools/results"

test("a small result is indented, a large one bounded", () => {
  assert.equal(shownJSON({ a: [1] }), '{\n  "a": [\n    1\n  ]\n}')
  assert.equal(shownJSON(undefined), "")
  // Indented, this is longer than any text can be.
  let deep: unknown = Array.from({ length: 3_000_000 }, () => 1)
  for (let level = 0; level < 120; level += 1) deep = [deep]
  const shown = shownJSON(deep)
  assert.ok(shown.length <= 200_001 && shown.startsWith("[".repeat(121) + "1,1"))
})
