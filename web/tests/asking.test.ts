import assert from "node:assert/strict"
import { test } from "node:test"
import type { Prompt, Session } from "../src/api/types"
import { entries } from "../src/state/groups"
import { countNeeding } from "../src/state/given"
import { loadPrompts, prompts } from "../src/state/prompts"
import { loadSessions, sessions, startSessions } from "../src/state/sessions"
import { prompt, session } from "./samples"

const listed: Session[] = Array.from({ length: 200 }, (_, index) => session(`new-${index}`))
/** More than one page of prompts, each of a session that the list does not hold. */
const old = new Map(Array.from({ length: 230 }, (_, index) => [`old-${index}`, session(`old-${index}`, {
  state: index < 210 ? "waiting" : "unknown", status: index < 210 ? "active" : "ended", archived: index === 229,
})] as const))
const open: Prompt[] = [...old.keys()].map((id) => prompt(`prompt of ${id}`, { session_id: id }))

let isDown = false

globalThis.fetch = async (input) => {
  const url = new URL(String(input), "http://localhost/")
  if (url.pathname.endsWith("/refresh")) return Response.json({ access_token: "t", expires_in: 3600, device_id: "1" })
  if (isDown) return Response.json({ error: { code: "unavailable", message: "The database does not answer." } }, { status: 503 })
  const one = /\/v1\/sessions\/(.+)$/.exec(url.pathname)
  if (one) return Response.json(old.get(decodeURIComponent(one[1] ?? "")) ?? {}, { status: old.has(one[1] ?? "") ? 200 : 404 })
  const [limit, from] = [Number(url.searchParams.get("limit")), Number(url.searchParams.get("cursor") ?? 0)]
  const all = url.pathname.endsWith("/prompts") ? (url.searchParams.get("state") === "open" ? open : [])
    : url.searchParams.get("state") === "waiting" ? [...old.values()].filter((row) => row.state === "waiting") : listed
  const isMore = from + limit < all.length
  return Response.json({ data: all.slice(from, from + limit), next_cursor: isMore ? String(from + limit) : null,
    meta: { total: all === listed ? listed.length + old.size : all.length } })
}
Object.assign(globalThis, { document: { addEventListener: () => undefined, visibilityState: "visible" } })

async function until(holds: () => boolean): Promise<void> {
  if (holds()) return
  await new Promise<void>((done) => {
    const stops = [sessions, prompts].map((store) => store.watch(() => {
      if (!holds()) return
      stops.forEach((stop) => stop())
      done()
    }))
  })
}

test("every prompt that waits is in the list, however old its session and however many wait", async () => {
  startSessions()
  await Promise.all([loadSessions(), loadPrompts()])
  const needing = () => entries(sessions.get(), prompts.get(), { all: 0, sessions: {} }).filter((entry) => entry.group === "needs")
  await until(() => needing().length === old.size)
  assert.equal(countNeeding(prompts.get(), new Map()), old.size)
})

test("a list that is read again keeps the sessions that ask", async () => {
  await loadSessions()
  assert.equal([...old.keys()].filter((id) => !sessions.get().has(id)).length, 0)
})
