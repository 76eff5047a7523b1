import assert from "node:assert/strict"
import { test } from "node:test"
import { patchLines } from "../src/lib/diff"
import { cutOf, rowsOf } from "../src/lib/diffRows"
import { modelName, shortPath } from "../src/lib/names"
import { blocksOf } from "../src/parts/markdown/blocks"
import { safeAddress, spansOf } from "../src/parts/markdown/spans"
import { visiblePieces, visibleText } from "../src/lib/visible"

test("lists nest, with code and things to do inside", () => {
  const [list] = blocksOf("1. one\n   - in\n     - deeper\n\n   ```sh\n   ls\n   ```\n2. two\n")
  assert.ok(list?.kind === "list" && list.start === 1 && list.items.length === 2)
  assert.deepEqual(list.items[0]?.blocks.map((block) => block.kind), ["paragraph", "list", "code"])
  const [todo] = blocksOf("- [x] done\n- [ ] open")
  assert.deepEqual(todo?.kind === "list" && todo.items.map((item) => item.isDone), [true, false])
})

test("tables have sides, and bars in code stay", () => {
  const [table] = blocksOf("| a | b |\n|:--|--:|\n| `x|y` | 1 \\| 2 |\n")
  assert.ok(table?.kind === "table")
  assert.deepEqual(table.align, ["", "end"])
  assert.deepEqual(table.rows, [["`x|y`", "1 | 2"]])
})

test("spans inside spans; names with underlines are names", () => {
  assert.deepEqual(spansOf("a **b *c*** `d*`").map((span) => span.kind), ["text", "strong", "text", "code"])
  assert.deepEqual(spansOf("snake_case_name and 2 * 3 * 4"), [{ kind: "text", text: "snake_case_name and 2 * 3 * 4" }])
})

test("only addresses of the web and of mail are links", () => {
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "//host", "https:", " javascript:x", "file:///etc/passwd"]) {
    assert.equal(safeAddress(bad), undefined, bad)
  }
  const [link] = spansOf("[x](javascript:alert(5))")
  assert.ok(link?.kind === "link" && link.href === undefined && link.target === "javascript:alert(5)")
  const [, bare, rest] = spansOf("see https://example.com/a_b?c=d, and more")
  assert.ok(bare?.kind === "link" && bare.href === "https://example.com/a_b?c=d")
  assert.deepEqual(rest, { kind: "text", text: ", and more" })
})

test("nothing of a row, a fence or a link is lost", () => {
  const [table] = blocksOf("| a | b |\n|---|---|\n| 1 | 2 | rm -rf ~ |\n| 3 |\n")
  assert.deepEqual(table?.kind === "table" && table.rows, [["1", "2 | rm -rf ~"], ["3", ""]])
  const [code] = blocksOf("```sh && rm -rf ~\n```")
  assert.deepEqual(code, { kind: "code", info: "sh && rm -rf ~", language: "sh", text: "" })
  const [link] = spansOf('[ ](https://x.example/do "and more")')
  assert.ok(link?.kind === "link" && link.title === "and more")
  assert.deepEqual(link.spans, [{ kind: "text", text: "https://x.example/do" }])
})

test("headings, rules and addresses end where they should", () => {
  assert.deepEqual(blocksOf("# One ##\n## C#\n###\n- - -\n***"), [
    { kind: "heading", level: 1, text: "One" }, { kind: "heading", level: 2, text: "C#" }, { kind: "heading", level: 3, text: "" },
    { kind: "rule" }, { kind: "rule" }])
  for (const [text, target] of [["https://a.example/x_(y).", "https://a.example/x_(y)"], ["(https://a.example/x).", "https://a.example/x"]] as const) {
    assert.ok(spansOf(text).some((span) => span.kind === "link" && span.target === target), text)
  }
})

test("hostile lengths take no time", () => {
  const from = performance.now()
  const space = " ".repeat(100_000)
  for (const line of ["# a" + space + "b", "|" + space + "-" + space + "x", "```" + space + "`", "- " + space, "a" + space + "b", "> " + space + "x"]) {
    blocksOf("| a |\n" + line)
    blocksOf(line)
  }
  visiblePieces(space + "x", true)
  for (const text of ["` " + " ".repeat(3_900) + "`", "http://x" + ".".repeat(1_900) + "a ", "http://x" + ")".repeat(1_900) + " "]) spansOf(text.repeat(50))
  for (const piece of ["*a ", "[", "`", "**", "~~x", "[a](", "<http://", "|", "> ", "- ", "_a "]) blocksOf(piece.repeat(20_000)).forEach((block) => {
    if ("text" in block) spansOf(block.text)
  })
  assert.ok(performance.now() - from < 4_000, `${performance.now() - from} ms`)
})

test("characters that are not drawn are named, but for those of emoji", () => {
  assert.equal(visibleText("a\u{e0141}\ufe0fb"), "a⟨U+E0141⟩⟨U+FE0F⟩b")
  assert.equal(visibleText("\u202eabc\u200b"), "⟨RLO⟩abc⟨ZWSP⟩")
  assert.equal(visibleText("❤️ 1️⃣ 👩‍💻"), "❤️ 1️⃣ 👩‍💻")
})

const patch = [{ oldStart: 3, newStart: 3, lines: [" a", "-let x = 1", "-gone", "+let x = 2", "+here", "+more", " z"] }]

test("lines of a patch have their numbers, and changed words their places", () => {
  const lines = patchLines(patch) ?? []
  assert.deepEqual(lines.map((line) => [line.old, line.fresh]),
    [[3, 3], [4, undefined], [5, undefined], [undefined, 4], [undefined, 5], [undefined, 6], [6, 7]])
  const rows = rowsOf(lines)
  assert.deepEqual(rows.map((row) => row.row), [1, 2, 3, 2, 3, 4, 5])
  assert.deepEqual(rows[1]?.words, [[8, 9]])
})

test("a line is not cut off from the one that it replaces", () => {
  assert.equal(cutOf(patchLines(patch) ?? [], 3), 6)
  assert.equal(cutOf(patchLines(patch) ?? [], 1), 1)
})

test("names as a person reads them", () => {
  assert.equal(modelName("claude-opus-5-5-20260901"), "Opus 5.5")
  assert.equal(modelName("claude-sonnet-5"), "Sonnet 5")
  assert.equal(modelName("other"), "other")
  assert.equal(shortPath("/home/ana/src/app/a/b.ts", "/home/ana/src/app"), "a/b.ts")
  assert.equal(shortPath("/home/ana/x", "/srv"), "~/x")
})
