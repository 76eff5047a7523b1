import type { MonitorEvent, Session } from "../api/types"
import { Store } from "../lib/store"
import { leadOnce, TabChannel } from "./leader"
import { stepOf, type Place } from "./follow"
import { Retry } from "./retry"
import { Socket, type Cursor, type Viewers } from "./socket"

export type Connection = "connecting" | "open" | "lost" | "signed-out"

/** What the leading tab hears and tells the others. */
type Told = { event: MonitorEvent } | { row: Session } | { reload: true }

/** Between the leading tab and the others. `hello` asks the leader where it stands. */
type TabMessage =
  | { kind: "told"; place: Place; told: Told }
  | { kind: "state"; connection: Connection; place: Place; cursor: Cursor | null; since: number }
  | { kind: "viewers"; viewers: Viewers }
  | { kind: "hello" }
  | { kind: "notify"; method: string; params: object }
  /** A tab that a person looks at does not wait for the leader's timers, which are slow where the leader is hidden. */
  | { kind: "reconnectNow" }

/**
 * What the list needs: the rows of sessions that change, and the few events that tell of prompts. All events of a session
 * come only to a tab that shows it: `follow`.
 */
const types = ["session_row", "prompt_opened", "prompt_updated", "prompt_closed", "permission_request", "elicitation", "notification"]

export const connection = new Store<Connection>("connecting")
/** When the connection was last up, in milliseconds since 1970. */
export const lastHeard = new Store(Date.now())

/** Who else looks at the session that this browser looks at last. */
export const viewers = new Store<Viewers | null>(null)

export interface Listener {
  event?: (event: MonitorEvent) => unknown
  row?: (row: Session) => unknown
  /** Changes may have been missed. */
  reload: () => void
  /** The first connection of this page is up; what was read before may lack what came meanwhile, up to `seq`. */
  opened?: (seq: number) => void
}

const listeners = new Set<Listener>()
let place: Place | null = null
let cursor: Cursor | null = null
let isLeader = false
let socket: Socket | null = null
const self = crypto.randomUUID()
const retry = new Retry()
const tabs = new TabChannel<TabMessage>(fromTab)

/** @returns ends the listening */
export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The newest position in the log that this page has heard of. */
export function newest(): Cursor | null {
  return cursor
}

export function startLive(): void {
  tabs.send({ kind: "hello" })
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
  // A tab that began without the server is lost already.
  needConnection()
}

/** A socket without a network lives on until its silence is noticed; the browser knows at once. */
function lose(): void {
  if (!isLeader || connection.get() === "signed-out") return
  attempts += 1
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
  else if (isFresh || !isConnecting || performance.now() - attemptBegan > patienceMilliseconds) connect()
}

/** The timers that would end an attempt are slow where the leader is hidden. */
const patienceMilliseconds = 5_000
let isConnecting = false
let attemptBegan = 0
/** Counts the attempts to connect. A later one, or the loss of the network, gives up those before it. */
let attempts = 0

function connect(): void {
  const attempt = ++attempts
  retry.stop()
  socket?.close()
  socket = null
  isConnecting = true
  attemptBegan = performance.now()
  void Socket.open({ types }, {
    isWanted: () => attempt === attempts,
    opened: (position) => {
      isConnecting = false
      retry.succeeded()
      const isFirst = place === null
      if (place?.leader !== self) place = { leader: self, count: 0 }
      cursor = position
      become("open")
      // Rows have no numbers to resume after: what has changed meanwhile is read.
      if (!isFirst) hear({ reload: true })
      else for (const listener of [...listeners]) listener.opened?.(position.seq)
    },
    event: (event) => hear({ event }),
    row: (row) => hear("reload" in row ? row : { row }),
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
    if (attempt === attempts) socket = opened
    else opened?.close()
  })
}

function become(state: Connection): void {
  if (state === "open" || connection.get() === "open") lastHeard.set(Date.now())
  connection.set(state)
  if (isLeader) sayState()
}

function sayState(): void {
  const own = place?.leader === self ? place : { leader: self, count: 0 }
  tabs.send({ kind: "state", connection: connection.get(), place: own, cursor, since: lastHeard.get() })
}

/** The leader has heard something from the server. */
function hear(told: Told): void {
  place = { leader: self, count: (place?.leader === self ? place.count : 0) + 1 }
  tabs.send({ kind: "told", place, told })
  deliver(told)
}

function deliver(told: Told): void {
  lastHeard.set(Date.now())
  const all = [...listeners]
  if ("event" in told) {
    advance(told.event.seq, told.event.epoch)
    for (const listener of all) listener.event?.(told.event)
  } else if ("row" in told) {
    advance(told.row.last_seq)
    for (const listener of all) listener.row?.(told.row)
  } else {
    for (const listener of all) listener.reload()
  }
}

function advance(seq = 0, epoch = cursor?.epoch): void {
  if (epoch && (epoch !== cursor?.epoch || seq > cursor.seq)) cursor = { epoch, seq }
}

function fromTab(message: TabMessage): void {
  if (message.kind === "hello") {
    if (isLeader) sayState()
  } else if (message.kind === "reconnectNow") {
    if (isLeader) reconnectNow()
  } else if (message.kind === "notify") {
    if (isLeader) socket?.notify(message.method, message.params)
  } else if (isLeader) {
    return
  } else if (message.kind === "viewers") {
    viewers.set(message.viewers)
  } else if (message.kind === "state") {
    cursor = message.cursor ?? cursor
    connection.set(message.connection)
    lastHeard.set(message.since)
    if (message.connection === "open") step(message.place, null)
  } else {
    step(message.place, message.told)
  }
}

/** Where something was missed, because the browser had put this tab to sleep or another tab leads, all is read again. */
function step(leader: Place, told: Told | null): void {
  const way = stepOf(place, leader, told !== null)
  if (!place || way !== "none") place = leader
  if (way === "reload") deliver({ reload: true })
  else if (way === "deliver" && told) deliver(told)
}
