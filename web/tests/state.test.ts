import assert from "node:assert/strict"
import { test } from "node:test"
import { blended } from "../src/lib/hold"
import { Stroke, swipeOf } from "../src/lib/swipe"
import { stepOf } from "../src/live/follow"
import { lastSaid } from "../src/state/before"
import { beyond } from "../src/state/counts"
import { entries, inOrder } from "../src/state/groups"
import { withRow } from "../src/state/rows"
import { titleOf } from "../src/state/title"
import { foldedEntries } from "../src/settings/entries"
import { isOtherZone } from "../src/lib/days"
import { changeText } from "../src/figures/change"
import { filterOf, hashOf, noFilter } from "../src/views/filter"
import { prompt, session } from "./samples"

test("a tab that follows takes what comes next, and reads all again where something was missed", () => {
  const at = (count: number, leader = "a") => ({ leader, count })
  assert.equal(stepOf(null, at(5), false), "none")
  assert.equal(stepOf(null, at(5), true), "deliver")
  assert.equal(stepOf(at(4), at(5), true), "deliver")
  assert.equal(stepOf(at(3), at(5), true), "reload")
  assert.equal(stepOf(at(5), at(5), true), "none")
  assert.equal(stepOf(at(5), at(5), false), "none")
  assert.equal(stepOf(at(3), at(5), false), "reload")
  assert.equal(stepOf(at(5), at(0, "b"), false), "reload")
})

test("a row replaces what it holds, and an older one nothing", () => {
  const known = session("s", { last_seq: 5, waiting_for: { kind: "permission", since: "x" }, usage_source: "otel" })
  const fresh = withRow(known, session("s", { last_seq: 6, project_id: "ws", model: "m" }))
  assert.deepEqual([fresh.waiting_for, fresh.usage_source, fresh.workspace_id, fresh.current_model], [undefined, "otel", "ws", "m"])
  assert.equal(withRow(known, session("s", { last_seq: 4 })), known)
})

test("sessions beyond the list are counted with their group", () => {
  const listed = [session("a"), session("b", { status: "ended" })]
  assert.deepEqual(beyond({ all: 5_000, ended: 4_990 }, listed), { ended: 4_989, idle: 9 })
  assert.deepEqual(beyond(null, listed), { ended: 0, idle: 0 })
})

test("a held list counts what others changed, and not one's own answer", () => {
  interface Row { id: string; form: string }
  const ways = (own: string[]) => ({
    keyOf: (row: Row) => row.id, mark: (row: Row) => row.id + row.form, blend: (row: Row) => row, isOwn: (row: Row) => own.includes(row.id),
  })
  const held = [{ id: "a", form: "1" }, { id: "b", form: "1" }]
  const wanted = [{ id: "a", form: "2" }, { id: "b", form: "1" }, { id: "c", form: "1" }]
  assert.equal(blended(held, wanted, ways([])).waiting, 2)
  assert.equal(blended(held, wanted, ways(["a"])).waiting, 1)
  assert.equal(blended(held, [{ id: "a", form: "2" }, held[1]!], ways(["a"])).waiting, 0)
  assert.deepEqual(blended(held, wanted, ways([])).shown, held)
})

const seen = { sessions: {}, all: Date.now() }

function failed(minutes: number) {
  return session("f", { state: "error", status: "idle", last_activity_at: new Date(Date.now() - minutes * 60_000).toISOString() })
}

test("a session that failed needs a person until it was looked at", () => {
  const groupOf = (one: ReturnType<typeof session>, looked: Parameters<typeof entries>[2]) => entries(new Map([[one.id, one]]), new Map(), looked)[0]!.group
  assert.equal(groupOf(failed(30), seen), "needs")
  assert.equal(groupOf(failed(30), { ...seen, sessions: { f: Date.now() } }), "idle")
  assert.equal(groupOf(failed(30), { ...seen, dismissed: Date.now() }), "idle")
  assert.equal(groupOf(failed(3_000), seen), "idle")
})

test("prompts come before failures, the one that waits longest first", () => {
  const all = new Map([failed(30), session("one"), session("two")].map((one) => [one.id, one]))
  const asked = new Map([prompt("p", { session_id: "one", opened_at: "2026-01-05T10:02:00Z" }), prompt("q", { session_id: "two" })].map((one) => [one.id, one]))
  assert.deepEqual(entries(all, asked, seen).sort(inOrder).map((entry) => entry.session.id), ["two", "one", "f"])
})

test("a session that waits by a notice has its words", () => {
  const one = session("s", { state: "waiting", waiting_for: { kind: "input", since: "2026-01-05T10:00:00Z" } })
  const asked = prompt("p", { kind: "input", question: "Auto mode can't check actions in this session" })
  const [entry] = entries(new Map([["s", one]]), new Map([["p", asked]]), seen)
  assert.equal(entry?.group, "needs")
  assert.equal(entry?.notice, "Auto mode can't check actions in this session")
})

test("what the session said just before it asked", () => {
  const message = (role: string, text: string, seconds: number, more = {}) =>
    ({ role, timestamp: new Date(Date.parse("2026-01-05T10:00:00Z") + 1000 * seconds).toISOString(), blocks: [{ type: "text", text }], ...more })
  const asked = prompt("p")
  assert.equal(lastSaid([message("assistant", "All pass.", -3), message("user", "Go on", -9)], asked), "All pass.")
  assert.equal(lastSaid([message("assistant", "later", 30), message("assistant", "before", -3)], asked), "before")
  assert.equal(lastSaid([message("assistant", "of an agent", -1, { agent_id: "a" }), message("user", "Go on", -9)], asked), null)
})

test("the title counts in each view, and the filter is in the address", () => {
  assert.equal(titleOf(3, "Figures", "App"), "(3) Figures · App")
  assert.equal(titleOf(0, "", "App"), "App")
  const filter = { ...noFilter, text: "a b&c", state: "ended" as const }
  assert.deepEqual(filterOf(hashOf(filter)), filter)
  assert.equal(hashOf(noFilter), "#/")
  assert.deepEqual(filterOf("#/?state=nonsense"), noFilter)
})

test("a finger that is drawn to the left goes on, one that scrolls does not", () => {
  assert.deepEqual([swipeOf(-90, 5), swipeOf(90, -5), swipeOf(-90, 80), swipeOf(-20, 0)], [1, -1, null, null])
})

test("a swipe is that of one finger, and a second one ends it", () => {
  const touch = (pointerId: number, clientX: number, isPrimary = pointerId === 1) => ({ pointerId, isPrimary, clientX, clientY: 0 })
  const stroke = new Stroke()
  stroke.down(touch(1, 300), true)
  assert.equal(stroke.up(touch(2, 100)), null, "another finger")
  assert.equal(stroke.up(touch(1, 100)), 1)
  stroke.down(touch(1, 300), true)
  stroke.down(touch(2, 320), true)
  assert.equal(stroke.up(touch(1, 100)), null)
  assert.equal(stroke.up(touch(2, 100)), null)
  stroke.down(touch(1, 300), true)
  stroke.cancel(touch(1, 200))
  assert.equal(stroke.up(touch(1, 100)), null, "taken by the browser")
})

test("renewals of a sign-in one after another are one row of the audit", () => {
  const entry = (id: string, action: string, actor = "device:1") => ({ id, at: "", actor, action, result: "granted" })
  const rows = foldedEntries([entry("5", "token.refresh"), entry("4", "token.refresh"), entry("3", "prompt.answer"), entry("2", "token.refresh"),
    entry("1", "token.refresh", "device:2")])
  assert.deepEqual(rows.map(({ entry: { id }, count }) => [id, count]), [["5", 2], ["3", 1], ["2", 1], ["1", 1]])
  const both = foldedEntries(["1", "2", "1", "2", "1"].map((actor, index) => entry(String(index), "token.refresh", "device:" + actor)))
  assert.deepEqual(both.map(({ entry: { id }, count }) => [id, count]), [["0", 3], ["1", 2]])
})

test("another time zone is one whose clock shows another time", () => {
  assert.equal(isOtherZone(Intl.DateTimeFormat().resolvedOptions().timeZone), false)
  assert.equal(isOtherZone("Pacific/Kiritimati") && isOtherZone("Pacific/Honolulu"), true)
  assert.equal(isOtherZone("Nowhere/At_all"), true)
})

test("a sum is compared with that of the days before, where there was one", () => {
  assert.equal(changeText(112, 100, 30), "12% more than in the 30 days before")
  assert.equal(changeText(50, 100, 7), "50% less than in the 7 days before")
  assert.equal(changeText(100, 100, 7), "as in the 7 days before")
  assert.equal(changeText(100, 0, 7), "")
  assert.equal(changeText(100, undefined, 7), "")
})
