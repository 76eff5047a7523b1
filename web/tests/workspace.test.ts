import assert from "node:assert/strict"
import { test } from "node:test"
import { fileDiff } from "../src/lib/fileDiff"
import { hunksOf } from "../src/lib/patch"
import { fitting } from "../src/workspace/files/fit"
import { child, found, parentsOf, placeQuery, top } from "../src/workspace/files/place"
import { filesAddress, filesQuery } from "../src/workspace/files/address"
import { gitAddress, gitQuery } from "../src/workspace/git/address"
import { rangeOf } from "../src/workspace/git/acts"
import { graphRows } from "../src/workspace/git/graphRows"
import { changed } from "../src/workspace/inFile"

const patch = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@ head
 one
-two
+2
 three
@@ -10,2 +10,3 @@
 ten
+--- not a heading
+ten and a half
\\ No newline at end of file
`

test("the hunks of a patch have their lines with numbers", () => {
  const hunks = hunksOf(patch)
  assert.deepEqual(hunks.map((hunk) => [hunk.heading, hunk.start, hunk.lines.length]), [["@@ -1,3 +1,3 @@ head", 1, 4], ["@@ -10,2 +10,3 @@", 10, 4]])
  assert.deepEqual(hunks[0]!.lines, [
    { kind: "same", text: "one", old: 1, fresh: 1 }, { kind: "del", text: "two", old: 2 }, { kind: "add", text: "2", fresh: 2 },
    { kind: "same", text: "three", old: 3, fresh: 3 },
  ])
  assert.deepEqual(hunks[1]!.lines[1], { kind: "add", text: "--- not a heading", fresh: 11 })
  assert.deepEqual(hunks[1]!.lines[3], { kind: "head", text: "No newline at end of file" })
  assert.equal(rangeOf(hunks[0]!.heading), "@@ -1,3 +1,3 @@")
})

test("a file in conflict has two columns of signs", () => {
  const [hunk] = hunksOf("diff --cc a\n@@@ -1,1 -1,1 +1,5 @@@\n++<<<<<<< ours\n +mine\n++=======\n+ theirs\n++>>>>>>> b\n")
  assert.deepEqual(hunk!.lines.map((line) => [line.kind, line.text, line.fresh]), [["add", "<<<<<<< ours", 1], ["add", "mine", 2],
    ["add", "=======", 3], ["add", "theirs", 4], ["add", ">>>>>>> b", 5]])
})

test("a file that differs in two places far from each other is folded between them", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)
  const after = lines.map((line, index) => index === 4 || index === 30 ? line + "!" : line)
  const diff = fileDiff(lines.join("\n") + "\n", after.join("\n") + "\n")!
  assert.deepEqual(diff.filter((line) => line.kind === "del").map((line) => line.old), [5, 31])
  assert.deepEqual(diff.filter((line) => line.kind === "add").map((line) => line.fresh), [5, 31])
  assert.equal(diff.filter((line) => line.kind === "head").length, 1)
  assert.deepEqual([diff[0], diff[diff.length - 1]], [{ kind: "same", text: "line 2", old: 2, fresh: 2 }, { kind: "same", text: "line 34", old: 34, fresh: 34 }])
})

test("what lines do not show, or too much, is no difference of lines", () => {
  assert.equal(fileDiff("a\n", "a"), null)
  const long = (word: string) => Array.from({ length: 700 }, (_, index) => word + index).join("\n")
  assert.equal(fileDiff(long("a"), long("b")), null)
  assert.deepEqual(fileDiff("", "a\nb\n")!.map((line) => [line.kind, line.fresh]), [["add", 1], ["add", 2]])
})

test("a call changes a file only where the tool would", () => {
  assert.equal(changed("a b", "Edit", { old_string: "a", new_string: "c" }), "c b")
  assert.equal(changed("a a", "Edit", { old_string: "a", new_string: "c" }), null)
  assert.equal(changed("a a", "Edit", { old_string: "a", new_string: "c", replace_all: true }), "c c")
  assert.equal(changed("x", "Edit", { old_string: "a", new_string: "c" }), null)
  assert.equal(changed("a", "Edit", { old_string: "a", new_string: "$&" }), "$&")
  assert.equal(changed("a b", "MultiEdit", { edits: [{ old_string: "a", new_string: "b2" }, { old_string: "b2 b", new_string: "c" }] }), "c")
  assert.equal(changed("a", "Write", { content: "b" }), "b")
  assert.equal(changed("a", "Bash", { command: "b" }), null)
})

test("names that are not UTF-8 keep their bytes, below them too", () => {
  const odd = child("/home/dev", top, { name: "a\ufffd", name_b64: btoa("a\xff") })
  const inner = child("/home/dev", odd, { name: "ü" })
  assert.equal(atob(inner.bytes ?? ""), "/home/dev/a\xff/\xc3\xbc")
  assert.deepEqual(placeQuery("/home/dev", inner), { path_b64: inner.bytes })
  assert.deepEqual(parentsOf("/home/dev", inner), [top, odd])
  assert.deepEqual(child("/home/dev", top, { name: "a" }), { path: "a" })
  assert.deepEqual(placeQuery("/", { path: "a" }), { path: "/a" })
  assert.equal(atob(found("/home/dev", { path: "\ufffd", path_b64: btoa("\xff") }).bytes ?? ""), "/home/dev/\xff")
})

test("what is shown survives in the address", () => {
  const files = { place: { path: "a b/c&d", bytes: "Lw==" }, line: 12, session: "s", query: "x y", isContents: true }
  const text = (query: Record<string, string | number | undefined>) => Object.entries(query).filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")
  assert.deepEqual(filesAddress(text(filesQuery(files))), files)
  const git = { tab: "log" as const, session: "s", file: { path: "a", area: "staged" as const }, commit: "abc", branch: "b" }
  assert.deepEqual(gitAddress(text(gitQuery(git))), git)
  assert.equal(gitAddress("tab=nonsense&file=a&area=x").file, null)
  assert.equal(filesAddress("line=-3").line, 0)
})

test("the letters of a search are marked where they fit", () => {
  assert.deepEqual(fitting("src/split.ts", "split"), [4, 5, 6, 7, 8])
  assert.deepEqual(fitting("src/split.ts", "sts"), [4, 10, 11])
  assert.deepEqual(fitting("src/split.ts", "zz"), [])
})

test("the lines of the graph go on from row to row", () => {
  const at = (column: number, ...lines: [number, number][]) =>
    ({ graph_position: { column, lines: lines.map(([from_column, to_column]) => ({ from_column, to_column })) } })
  // A merge of two lines, which meet again in one commit.
  const rows = graphRows([at(0, [0, 0], [0, 1]), at(1, [0, 0], [1, 1]), at(0, [1, 1], [0, 1]), at(1)])
  assert.deepEqual(rows.map((row) => row.column), [0, 1, 0, 1])
  assert.equal(rows[0]!.segments.some((segment) => segment.fromAt === "top"), false)
  assert.deepEqual(rows[1]!.segments.filter((segment) => segment.toAt === "middle"), [{ from: 1, fromAt: "top", to: 1, toAt: "middle" }])
  assert.deepEqual(rows[3]!.segments, [{ from: 1, fromAt: "top", to: 1, toAt: "middle" }])
})
