import assert from "node:assert/strict"
import { test } from "node:test"
import type { Machine } from "../src/api/types"
import type { UsageRow } from "../src/api/usage"
import { findings, type Health } from "../src/diagnostics/faults"
import { rowsOf, type Model } from "../src/diagnostics/modelRows"
import { firstTarget, hindrance, targetsOf } from "../src/drive/asking"
import { isAllowed } from "../src/workspace/useAllowed"

const health: Health = {
  status: "healthy", version: "0.2.0", uptime_seconds: 1, database: { status: "healthy" }, spool: { status: "ready" },
  push: { status: "on" }, subscribers: { websockets: 0, event_streams: 0 },
}
const known = { health, machines: [], isConnected: true, unpriced: [], install: "install" }
const machine = (more: Partial<Machine> = {}): Machine => ({ id: "1", name: "mac", last_seen_at: "2026-01-01T00:00:00Z", ...more })
const agent = (may: object, state: "online" | "offline" | "none" = "online") =>
  ({ state, may: { control: true, modes: ["default"], roots: ["/home"], sessions: 8, ...may } })
const words = (machines: Machine[]) => findings({ ...known, machines }).map((one) => [one.word, one.command])

test("nothing is wrong where nothing is", () => {
  assert.deepEqual(findings(known), [])
  assert.deepEqual(words([machine({ hooks_version: "0.2.0", clock: { offset_seconds: 0.4 }, agent: agent({}) })]), [])
})

test("each fault has its words, and the command that mends it", () => {
  assert.deepEqual(words([machine({ last_seen_at: undefined })]), [["wrong.never", "monitorctl doctor"]])
  assert.deepEqual(words([machine({ hooks_version: "0.1.9" })]), [["wrong.hooks", "install"]])
  assert.deepEqual(words([machine({ clock: { offset_seconds: -90 } })]), [["wrong.clock", "sudo timedatectl set-ntp true"]])
  assert.deepEqual(words([machine({ agent: agent({}, "offline") })]), [["wrong.agent", "monitor-agent doctor"]])
  assert.deepEqual(words([machine({ completeness: { state: "incomplete", missing: 2 } })]), [["wrong.gaps", "monitorctl doctor"]])
  const bad = findings({ ...known, isConnected: false, unpriced: ["new"], health: { ...health, database: { status: "unreachable" }, push: { status: "off" } } })
  assert.deepEqual(bad.map((one) => one.word), ["wrong.connection", "wrong.database", "wrong.prices", "wrong.push"])
})

test("models that were used come first, by cost, however they were named", () => {
  const models = [{ id: "claude-a-1", name: "A", aliases: ["a"] }, { id: "claude-b-2-20260101", name: "B", aliases: ["b"] },
    { id: "claude-c", name: "C", aliases: [] }] as unknown as Model[]
  const row = (key: string, cost: number) => ({ key, cost, tokens: 10, events: 1 }) as UsageRow
  const rows = rowsOf(models, [row("claude-a-1", 1), row("claude-a-1[1m]", 1), row("claude-b-2", 5), row("strange", 0)],
    new Map([["mac", [row("claude-a-1[1m]", 1)]], ["box", [row("claude-b-2", 5)]]]))
  assert.deepEqual(rows.map((one) => [one.model?.name ?? one.id, one.cost, one.machines]),
    [["B", 5, ["box"]], ["A", 2, ["mac"]], ["strange", 0, []], ["C", 0, []]])
})

test("a chat begins only where the machine lets sessions be started", () => {
  const machines = [machine({ agent: agent({}) }), machine({ name: "off", agent: agent({ control: false }) })]
  const project = (id: string, path: string | null, machine_name = "mac") => ({ id, name: id, path, machine_name })
  const targets = targetsOf([project("in", "/home/a"), project("out", "/srv"), project("off", "/home/b", "off"), project("none", null),
    { ...project("model", "/home/c"), settings: { default_model: "haiku" } }], machines)
  assert.deepEqual(targets.map((one) => [one.project, one.model]), [["in", undefined], ["model", "haiku"]])
  assert.equal(firstTarget(targets, [], "model")?.project, "model")
  assert.equal(firstTarget(targets, [], "gone")?.project, "in")
})

test("what hinders a chat is named from the outside in", () => {
  const on = machine({ agent: agent({}) })
  assert.equal(hindrance(false, [on], []), "control")
  assert.equal(hindrance(true, [machine({ agent: { state: "none" } })], null), "agent")
  assert.equal(hindrance(true, [machine({ agent: agent({}, "offline") })], null), "away")
  assert.equal(hindrance(true, [machine({ agent: agent({ control: false }) })], null), "off")
  assert.equal(hindrance(true, [on], []), "project")
  assert.equal(hindrance(true, [on], null), null)
})

test("the words of the machine's file say what it allows", () => {
  const may = agent({ files: "read", git: "read" }).may
  assert.deepEqual([isAllowed(may, "files=read"), isAllowed(may, "git=read"), isAllowed(may, "git=write")], [true, true, false])
  assert.equal(isAllowed(agent({ files: "off", git: "push" }).may, "git=write"), true)
  assert.equal(isAllowed(undefined, "files=read"), false)
})
