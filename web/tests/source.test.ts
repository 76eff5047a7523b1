import assert from "node:assert/strict"
import { after, test } from "node:test"
import type { MonitorEvent } from "../src/api/types"
import { TimelineSource } from "../src/timeline/source"
import { hook } from "./samples"

/** What a live connection calls. */
interface Heard {
  received(event: MonitorEvent): void
  readOn(): Promise<void>
}

const log: MonitorEvent[] = []
/** Answers to requests for events wait here. */
let gate: Promise<void> = Promise.resolve()

globalThis.fetch = async (input) => {
  const url = new URL(String(input), "http://localhost/")
  if (url.pathname.endsWith("/refresh")) return Response.json({ access_token: "t", expires_in: 3600, device_id: "1" })
  if (!url.pathname.endsWith("/events")) return Response.json({ data: [], next_cursor: null })
  await gate
  const query = url.searchParams
  const [from, to, limit] = [Number(query.get("after") ?? 0), Number(query.get("before") ?? Infinity), Number(query.get("limit"))]
  const found = log.filter((event) => event.seq > from && event.seq < to)
  if (query.get("order") === "desc") found.reverse()
  return Response.json({ events: found.slice(0, limit), has_more: found.length > limit })
}

function happens(event = hook("Stop", { last_assistant_message: "Done." })): MonitorEvent {
  log.push(event)
  return event
}

function numbers(source: TimelineSource): number[] {
  return source.state.get().items.map((item) => item.seq)
}

async function settled(source: TimelineSource): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await new Promise((done) => setImmediate(done))
  assert.equal(source.state.get().isLoading, false)
}

const source = new TimelineSource("s")
const heard = source as unknown as Heard
after(() => source.close())

test("a view of the end stays there while it reads what may have been missed", async () => {
  happens()
  await settled(source)
  const states: boolean[] = []
  const stop = source.state.watch(() => states.push(source.state.get().hasNewer))
  happens()
  let open = () => {}
  gate = new Promise((done) => { open = done })
  const read = heard.readOn()
  source.showLog(true)
  source.showLog(false)
  open()
  await read
  await settled(source)
  stop()
  assert.ok(states.length > 0 && !states.includes(true))
  assert.deepEqual(numbers(source), log.map((event) => event.seq))
})

test("events that come beside one that has to be read stand after it", async () => {
  const large = happens()
  heard.received({ ...large, payload: {}, payload_truncated: true } as MonitorEvent)
  heard.received(happens())
  await settled(source)
  heard.received(happens())
  await new Promise((done) => setTimeout(done, 700))
  assert.deepEqual(numbers(source), log.map((event) => event.seq))
})
