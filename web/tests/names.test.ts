import assert from "node:assert/strict"
import { test } from "node:test"
import { labelsOf, placeOf, sessionName } from "../src/state/names"
import { noQuery, queryOf, requestOf, tableHash } from "../src/views/query"
import { session } from "./samples"

test("projects of one name are told apart by the part of their paths that differs", () => {
  assert.deepEqual([...labelsOf(["/src/shop/infra", "/src/bank/infra", "/src/atlas"]).values()], ["shop/infra", "bank/infra", "atlas"])
  assert.deepEqual([...labelsOf(["/a/deep/infra", "/b/deep/infra"]).values()], ["a/…/infra", "b/…/infra"])
  assert.deepEqual([...labelsOf(["C:\\w\\one", "/w/one/"]).values()], ["C:/…/one", "/w/one"])
})

test("a session's first line is its title and its second where it runs", () => {
  const one = session("s", { title: "Mend it", title_source: "prompt", project_path: "/w/atlas", git_branch: "main", machine_name: "studio" })
  assert.deepEqual([sessionName(one), placeOf(one)], ["Mend it", "atlas · main · studio"])
  const bare = session("s", { title: "atlas", title_source: "directory", project_path: "/w/atlas", git_branch: "HEAD", machine_name: "studio" })
  assert.deepEqual([sessionName(bare), placeOf(bare)], ["atlas", "studio"])
})

test("the query of the table is its address, and foreign words in it are none", () => {
  const query = { ...noQuery, text: "a b&c", state: "ended", sort: "cost", page: 3 }
  assert.deepEqual(queryOf(tableHash(query).split("?")[1] ?? ""), query)
  assert.equal(tableHash(noQuery), "#/sessions")
  assert.deepEqual(queryOf("sort=colour&page=-4&state=x"), noQuery)
  assert.deepEqual([requestOf(query).status, requestOf({ ...noQuery, state: "quiet" }).state, requestOf({ ...noQuery, state: "error" }).state], ["ended", "idle", "error"])
})
