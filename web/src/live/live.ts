import { get } from "../api/http"
import type { MonitorEvent } from "../api/types"
import { Store } from "../lib/store"
import { leadOnce, TabChannel } from "./leader"
import { stepOf } from "./follow"
import { Retry } from "./retry"
import { Socket, type Cursor, type Viewers } from "./socket"

export type Connection = "connecting" | "open" | "lost" | "signed-out"

/** Between the leading tab and the others. `hello` asks the leader where it stands. */
type TabMessage =
  | { kind: "event"; after: number; event: MonitorEvent }
  | { kind: "state"; connection: Connection; cursor: Cursor | null; since: number }
  | { kind: "viewers"; viewers: Viewers }
  | { kind: "hello" }
  | { kind: "notify"; method: string; params: object }
  /** A tab that a person looks at does not wait for the leader's timers, which are slow where the leader is hidden. */
  | { kind: "reconnectNow" }

export const connection = new Store<Connection>("connecting")
/** When the connection was last up, in milliseconds since 1970. */
export const lastHeard = new Store(Date.now())

/** Who else looks at the session that this browser looked at last. */
export const viewers = new Store<Viewers | null>(null)

type Listener = { event: (event: MonitorEvent) => unknown; reload: () => void }

const listeners = new Set<Listener>()
let cursor: Cursor | null = null
let isLeader = false
let socket: Socket | null = null
const retry = new Retry()
const tabs = new TabChannel<TabMessage>(fromTab)

/** @returns ends the listening */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A tab that has heard nothing of a leader by then reads by itself. */
const patienceMilliseconds = 1_500

export function startLive(): void {
  tabs.send({ kind: "hello" })
  window.setTimeout(() => {
    if (!cursor) reload()
  }, patienceMilliseconds)
  leadOnce(() => {
    isLeader = true
    connect()
  })
  window.addEventListener("online", () => reconnectNow(true))
  window.addEventListener("offline", lose)
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnectNow(true)
  })
  connection.watch(needConnection)
}

/** A socket without a network lives on until its silence is noticed; the browser knows at once. */
function lose(): void {
  if (!isLeader || connection.get() === "signed-out") return
  socket?.close()
  socket = null
  isConnecting = false
  become("lost")
  retry.later(connect)
}

const needMilliseconds = 2_000
let needs = 0

/** As long as this tab is looked at and not connected, it asks the leader to try again. */
function needConnection(): void {
  clearInterval(needs)
  if (connection.get() !== "lost" || isLeader) return
  needs = window.setInterval(() => {
    if (document.visibilityState === "visible" && !isLeader) reconnectNow()
  }, needMilliseconds)
}

/** Tells the server something over the socket, whichever tab holds it. */
export function tell(method: string, params: object): void {
  if (isLeader) socket?.notify(method, params)
  else tabs.send({ kind: "notify", method, params })
}

/**
 * Does not wait for the next attempt.
 * @param isFresh the network may be another one: an attempt that is under way is given up
 */
function reconnectNow(isFresh = false): void {
  if (connection.get() !== "lost") return
  if (!isLeader) tabs.send({ kind: "reconnectNow" })
  else if (isFresh || !isConnecting) connect()
}

let isConnecting = false

function connect(): void {
  retry.stop()
  socket?.close()
  socket = null
  isConnecting = true
  void Socket.open(cursor, {
    opened: (position, whole) => {
      isConnecting = false
      retry.succeeded()
      const isFirst = cursor === null
      if (!whole || isFirst) cursor = position
      become("open")
      if (!whole || isFirst) reload()
    },
    event: (event) => {
      const after = cursor?.seq ?? event.seq - 1
      tabs.send({ kind: "event", after, event })
      deliver(event)
    },
    viewers: (told) => {
      viewers.set(told)
      tabs.send({ kind: "viewers", viewers: told })
    },
    closed: (reason) => {
      isConnecting = false
      socket = null
      become(reason)
      if (reason === "lost") retry.later(connect)
    },
  }).then((opened) => {
    socket = opened ?? socket
  })
}

function become(state: Connection): void {
  if (state === "open" || connection.get() === "open") lastHeard.set(Date.now())
  connection.set(state)
  if (isLeader) tabs.send({ kind: "state", connection: state, cursor, since: lastHeard.get() })
}

function reload(): void {
  for (const listener of [...listeners]) listener.reload()
}

function deliver(event: MonitorEvent): void {
  if (cursor && event.epoch === cursor.epoch && event.seq <= cursor.seq) return
  cursor = { epoch: event.epoch ?? cursor?.epoch ?? "", seq: event.seq }
  lastHeard.set(Date.now())
  for (const listener of [...listeners]) listener.event(event)
}

function fromTab(message: TabMessage): void {
  if (message.kind === "hello") {
    if (isLeader) become(connection.get())
  } else if (message.kind === "reconnectNow") {
    if (isLeader) reconnectNow()
  } else if (message.kind === "notify") {
    if (isLeader) socket?.notify(message.method, message.params)
  } else if (isLeader) {
    return
  } else if (message.kind === "viewers") {
    viewers.set(message.viewers)
  } else if (message.kind === "state") {
    connection.set(message.connection)
    lastHeard.set(message.since)
    follow(message.cursor)
  } else {
    hear(message)
  }
}

/**
 * A tab that follows begins at the leader's position, and loads what there is at that time. Events that come before it
 * knows the position are part of what it loads.
 */
function follow(position: Cursor | null): void {
  const step = stepOf(cursor, position)
  if (!position || step === "none") return
  if (step === "catchUp") return void catchUp(position)
  cursor = position
  reload()
}

function hear({ after, event }: { after: number; event: MonitorEvent }): void {
  if (!cursor) return
  if (after > cursor.seq) void catchUp({ epoch: event.epoch ?? "", seq: event.seq })
  else deliver(event)
}

let catching: Promise<void> | null = null

/** The browser had put this tab to sleep: it reads what it has missed. */
function catchUp(next: Cursor): Promise<void> {
  catching ??= (async () => {
    try {
      const missed = await get<{ events: MonitorEvent[]; has_more?: boolean }>("/v1/events", {
        after: cursor?.seq,
        limit: 999,
        order: "asc",
      })
      for (const event of missed.events) deliver(event)
    } catch {
      cursor = next
      reload()
    }
    catching = null
  })()
  return catching
}
