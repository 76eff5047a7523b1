import assert from "node:assert/strict"
import { test } from "node:test"
import { ApiError } from "../src/api/errors"
import { top } from "../src/workspace/files/place"
import type { Entry, Listing } from "../src/workspace/files/requests"
import { Tree, type TreeRow } from "../src/workspace/files/tree"

const project = { id: "p", path: "/home/dev/app", machine: "desk" }
const file = (name: string): Entry => ({ name, type: "file", size: 1, is_secret: false })
const folder = (name: string): Entry => ({ name, type: "directory", size: 0, is_secret: false })
const page = (entries: Entry[], next: string | null = null, all = entries.length): Listing =>
  ({ entries, sorted: true, files: all, directories: 0, next_cursor: next })

/** The tree over these pages, by directory and cursor, and what was asked for. */
function made(pages: Record<string, Listing | ApiError>) {
  const asked: string[] = []
  const tree = new Tree(project, async (_, place, cursor) => {
    const key = place.path + "|" + (cursor ?? "")
    asked.push(key)
    const found = pages[key] ?? new ApiError(404, "file_not_found", key)
    if (found instanceof ApiError) throw found
    return found
  })
  return { tree, asked }
}

const settled = () => new Promise((done) => setTimeout(done))
const shown = (rows: TreeRow[]) => rows.map((row) => row.kind === "entry" ? "  ".repeat(row.level - 1) + row.entry.name : row.kind)

test("directories are read when they are opened, and once", async () => {
  const { tree, asked } = made({ "|": page([folder("src"), file("a")]), "src|": page([file("b")]) })
  tree.show(null)
  assert.deepEqual(shown(tree.rows()), ["reading"])
  await settled()
  assert.deepEqual(shown(tree.rows()), ["src", "a"])
  tree.open({ path: "src" })
  await settled()
  assert.deepEqual(shown(tree.rows()), ["src", "  b", "a"])
  tree.close({ path: "src" })
  tree.open({ path: "src" })
  assert.deepEqual(asked, ["|", "src|"])
})

test("a file that is shown has its directories open", async () => {
  const { tree } = made({ "|": page([folder("src")]), "src|": page([folder("in")]), "src/in|": page([file("a")]) })
  tree.show({ path: "src/in/a" })
  await settled()
  assert.deepEqual(shown(tree.rows()), ["src", "  in", "    a"])
})

test("a large directory comes a page at a time", async () => {
  const { tree } = made({ "|": page([file("a")], "o1", 2), "|o1": page([file("b")], null, 2) })
  tree.show(null)
  await settled()
  assert.deepEqual(tree.rows().map((row) => row.kind === "more" ? row.left : row.kind), ["entry", 1])
  await tree.readPage(top)
  assert.deepEqual(shown(tree.rows()), ["a", "b"])
})

test("what cannot be read is said in its place, and is read again", async () => {
  const pages: Record<string, Listing | ApiError> = { "|": page([folder("src")]), "src|": new ApiError(403, "outside_roots", "no") }
  const { tree } = made(pages)
  tree.show({ path: "src/a" })
  await settled()
  assert.deepEqual(shown(tree.rows()), ["src", "fault"])
  pages["src|"] = page([])
  await tree.readPage({ path: "src" })
  assert.deepEqual(shown(tree.rows()), ["src", "empty"])
})

test("what was read before stays while it is read anew", async () => {
  const pages: Record<string, Listing | ApiError> = { "|": page([file("a")]) }
  const { tree } = made(pages)
  tree.show(null)
  await settled()
  pages["|"] = new ApiError(503, "agent_unavailable", "away")
  await tree.refresh()
  assert.deepEqual(shown(tree.rows()), ["fault", "a"])
  pages["|"] = page([file("b")])
  await tree.refresh()
  assert.deepEqual(shown(tree.rows()), ["b"])
})
