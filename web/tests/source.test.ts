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
/** Holds answers to requests for events back. */
let gate: (query: URLSearchParams) => Promise<void> = () => Promise.resolve()

globalThis.fetch = async (input) => {
  const url = new URL(String(input), "http://localhost/")
  if (url.pathname.endsWith("/refresh")) return Response.json({ access_token: "t", expires_in: 3600, device_id: "1" })
  if (!url.pathname.endsWith("/events")) return Response.json({ data: [], next_cursor: null })
  const query = url.searchParams
  await gate(query)
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

async function until(source: TimelineSource, holds: () => boolean): Promise<void> {
  if (holds()) return
  await new Promise<void>((done) => {
    const stop = source.state.watch(() => {
      if (!holds()) return
      stop()
      done()
    })
  })
}

const source = new TimelineSource("s")
const heard = source as unknown as Heard
after(() => source.close())

test("a view of the end stays there while it reads what may have been missed", async () => {
  for (let count = 0; count < 250; count++) happens()
  let open = () => {}
  const isOpen = new Promise<void>((done) => { open = done })
  // The page after the last event comes later than the ends of the session.
  gate = (query) => query.get("limit") !== "1" && query.has("after") ? isOpen : Promise.resolve()
  await until(source, () => source.state.get().items.length === 200)
  const read = heard.readOn()
  const states: boolean[] = []
  const stop = source.state.watch(() => states.push(source.state.get().hasNewer))
  await until(source, () => source.state.get().span.first > 0)
  happens()
  open()
  await read
  stop()
  assert.ok(states.length > 1 && !states.includes(true), String(states))
  assert.deepEqual(numbers(source), log.slice(50).map((event) => event.seq))
})

test("events that come beside one that has to be read stand after it", async () => {
  const large = happens()
  heard.received({ ...large, payload: {}, payload_truncated: true } as MonitorEvent)
  heard.received(happens())
  await until(source, () => numbers(source).length === 203)
  heard.received(happens())
  await until(source, () => numbers(source).length === 204)
  assert.deepEqual(numbers(source), log.slice(50).map((event) => event.seq))
})
