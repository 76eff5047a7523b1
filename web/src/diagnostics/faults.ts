import type { Machine } from "../api/types"
import { isOlder } from "../parts/MachineFacts"
import { leastOffset } from "../state/machines"
import type { Word } from "../words/words"

export interface Health {
  status: string
  version: string
  claude_version?: string | null
  uptime_seconds: number
  database: { status: string }
  spool: { status: string; events?: number; rejected_events?: number }
  push?: { status: string }
  subscribers: { websockets: number; event_streams: number }
}

/** Something that is wrong, in words, and what mends it. */
export interface Finding {
  key: string
  word: Word
  values?: Record<string, string | number>
  /** To run: on the machine that the words name. */
  command?: string
  link?: string
}

const manySeconds = 30

interface Known {
  health: Health | null
  machines: readonly Machine[]
  isConnected: boolean
  /** Used this week, and without a price. */
  unpriced: readonly string[]
  /** The command that installs the hooks again. */
  install: string
}

/** What is wrong with the server, this page's connection, and each machine. The worst is first. */
export function findings({ health, machines, isConnected, unpriced, install }: Known): Finding[] {
  const found: Finding[] = []
  if (!isConnected) found.push({ key: "connection", word: "wrong.connection" })
  if (health && health.database.status !== "healthy") found.push({ key: "database", word: "wrong.database", command: "monitorctl doctor" })
  else if (health && health.status !== "healthy") found.push({ key: "health", word: "wrong.health", values: { status: health.status }, command: "monitorctl doctor" })
  const waiting = health?.spool.events ?? 0
  if (waiting > 0) found.push({ key: "spool", word: "wrong.spool", values: { n: waiting }, command: "monitorctl doctor" })
  const rejected = health?.spool.rejected_events ?? 0
  if (rejected > 0) found.push({ key: "rejected", word: "wrong.rejected", values: { n: rejected } })
  for (const machine of machines) found.push(...ofMachine(machine, health?.version ?? null, install))
  if (unpriced.length > 0) found.push({ key: "prices", word: "wrong.prices", values: { models: unpriced.join(", ") }, command: "MONITOR_PRICES=/etc/claude-monitor/prices.json" })
  if (health?.push?.status === "off") found.push({ key: "push", word: "wrong.push", link: "#/settings/notifications" })
  return found
}

function ofMachine(machine: Machine, server: string | null, install: string): Finding[] {
  const found: Finding[] = []
  const values = { machine: machine.name }
  const say = (what: string, more: Omit<Finding, "key" | "word"> & { word: Word }) =>
    found.push({ key: `${what} ${machine.name}`, ...more, values: { ...values, ...more.values } })
  const offset = Math.abs(machine.clock?.offset_seconds ?? 0)
  if (!machine.last_seen_at) say("never", { word: "wrong.never", command: "monitorctl doctor" })
  if ((machine.completeness?.missing ?? 0) > 0) say("gaps", { word: "wrong.gaps", values: { n: machine.completeness?.missing ?? 0 }, command: "monitorctl doctor" })
  if (machine.agent?.state === "offline") say("agent", { word: "wrong.agent", command: "monitor-agent doctor" })
  if (machine.agent?.update) say("update", { word: "wrong.update", values: { version: machine.agent.update }, command: "monitor-agent update" })
  if (server && isOlder(machine.hooks_version, server)) say("hooks", { word: "wrong.hooks", values: { version: machine.hooks_version ?? "" }, command: install })
  if (offset >= leastOffset) say("clock", { word: offset >= manySeconds ? "wrong.clock" : "wrong.clockLittle", values: { n: Math.round(offset) }, command: "sudo timedatectl set-ntp true" })
  return found
}
