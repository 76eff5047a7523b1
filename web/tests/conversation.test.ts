import assert from "node:assert/strict"
import { after, test } from "node:test"
import { Conversation } from "../src/timeline/conversation"
import { TimelineSource } from "../src/timeline/source"

/** A session of which hooks have told little, and the transcript much. */
let count = 9_000
const begin = Date.parse("2026-01-05T10:00:00Z")
const timeOf = (index: number) => new Date(begin + 1000 * index).toISOString()
const message = (index: number) => ({
  id: `m${index}`, role: "assistant", timestamp: timeOf(index), blocks: [{ type: "text", text: `said ${index}` }] })
const messages = Array.from({ length: count }, (_, index) => message(index))
const events = [0, count / 2, count].map((index, place) => ({
  seq: place + 1, type: "user_prompt", timestamp: timeOf(index - 0.5), hook_event_name: "UserPromptSubmit", payload: { prompt: `asked ${place}` } }))

let isDown = false
const pages: string[] = []

globalThis.fetch = async (input) => {
  const url = new URL(String(input), "http://localhost/")
  const query = url.searchParams
  if (url.pathname.endsWith("/refresh")) return Response.json({ access_token: "t", expires_in: 3600, device_id: "1" })
  const [isDescending, limit] = [query.get("order") === "desc", Number(query.get("limit"))]
  if (url.pathname.endsWith("/events")) {
    const [from, to] = [Number(query.get("after") ?? 0), Number(query.get("before") ?? Infinity)]
    const found = events.filter((event) => event.seq > from && event.seq < to)
    if (isDescending) found.reverse()
    return Response.json({ events: found.slice(0, limit), has_more: found.length > limit })
  }
  if (isDown) return Response.json({ error: { code: "unavailable", message: "Not now." } }, { status: 503 })
  pages.push(url.search)
  const all = isDescending ? [...messages].reverse() : messages
  const at = query.get("at")
  const place = query.has("cursor") ? Number(query.get("cursor"))
    : at ? all.findIndex((one) => isDescending ? one.timestamp <= at : one.timestamp >= at) : 0
  const next = place + limit
  return Response.json({ source: "transcript", data: all.slice(place, next), next_cursor: next < count ? String(next) : null })
}

const source = new TimelineSource("s")
after(() => source.close())

function texts(): string[] {
  return source.state.get().items.flatMap((item) => item.kind === "text" || item.kind === "you" ? [item.text] : [])
}

async function until(holds: () => boolean): Promise<void> {
  if (holds()) return
  await new Promise<void>((done) => {
    const stop = source.state.watch(() => {
      if (!holds()) return
      stop()
      done()
    })
  })
}

/** In their order, none left out and none twice. */
function assertWhole(): void {
  const said = texts().filter((text) => text.startsWith("said")).map((text) => Number(text.slice(5)))
  assert.deepEqual(said, said.map((_, index) => said[0]! + index))
}

async function walk(way: "older" | "newer", has: () => boolean): Promise<void> {
  for (let steps = 0; has(); steps++) {
    assert.ok(steps < 100, "it never ends")
    await source[way]()
    assert.ok(texts().length <= 4_010, `${texts().length} texts`)
    assertWhole()
  }
}

test("the end is shown first", async () => {
  await until(() => texts().length >= 1_000)
  assert.equal(texts()[texts().length - 1], "asked 2")
  assert.ok(texts().includes(`said ${count - 1}`))
  assert.ok(source.state.get().hasOlder)
  assertWhole()
})

test("a window that moves back comes to the first message, and forgets the last ones", async () => {
  await walk("older", () => source.state.get().hasOlder)
  assert.deepEqual(texts().slice(0, 2), ["asked 0", "said 0"])
  assert.ok(source.state.get().hasNewer)
  assert.ok(!texts().includes("asked 2"), "what was asked after a gap stands directly after it")
})

test("it moves on to the end again", async () => {
  await walk("newer", () => source.state.get().hasNewer)
  assert.equal(texts()[texts().length - 1], "asked 2")
  assert.ok(texts().includes(`said ${count - 1}`))
})

test("the beginning is one request away, however long the session is", async () => {
  pages.length = 0
  await source.toBeginning()
  assert.deepEqual(texts().slice(0, 2), ["asked 0", "said 0"])
  assert.ok(!source.state.get().hasOlder)
  await source.goTo(null)
  await until(() => texts().includes(`said ${count - 1}`))
  assert.equal(texts()[texts().length - 1], "asked 2")
  assertWhole()
})

test("what could not be read is said, and read again", async () => {
  isDown = true
  await source.toBeginning()
  await until(() => source.state.get().error !== null || source.state.get().textError !== null)
  isDown = false
  source.again()
  await until(() => source.state.get().error === null && source.state.get().textError === null && texts()[1] === "said 0")
})

test("what was said before the first event, as in an imported session, is reached too", async () => {
  events.splice(0, events.length, { seq: 1, type: "user_prompt", timestamp: timeOf(count + 10), hook_event_name: "UserPromptSubmit", payload: { prompt: "asked" } })
  const imported = new TimelineSource("imported")
  after(() => imported.close())
  const says = (text: string) => imported.state.get().items.some((item) => item.kind === "text" && item.text === text)
  await new Promise<void>((done) => {
    const stop = imported.state.watch(() => {
      if (!says(`said ${count - 1}`)) return
      stop()
      done()
    })
  })
  for (let steps = 0; imported.state.get().hasOlder && steps < 100; steps++) await imported.older()
  assert.ok(says("said 0"))
})

test("after a long silence the window begins at the end again, without a gap", async () => {
  const conversation = new Conversation("silent")
  await conversation.readNewest()
  for (const end = count + 2_000; count < end; count++) messages.push(message(count))
  await conversation.readNewest()
  const said = conversation.merge([]).map((item) => item.kind === "text" ? Number(item.text.slice(5)) : NaN)
  assert.deepEqual(said, said.map((_, index) => count - said.length + index))
  assert.ok(conversation.hasOlder)
})
