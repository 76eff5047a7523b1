import type { MonitorEvent, Piece, Screen, Session } from "../api/types"
import { ApiError } from "../api/errors"
import { send } from "../api/http"
import { socketAddress } from "../lib/base"

export interface Cursor {
  epoch: string
  seq: number
}

/** What a socket is told: `since` resumes, `session_id` and `types` choose. */
export interface Subscription {
  since?: Cursor
  session_id?: string
  workspace_id?: string
  types?: readonly string[]
}

/** A session's row as the server sends it when it changes, or the request to read the list again. */
export type RowNotice = Session | { reload: true }

/** A file of a workspace has changed. `is_cut`: so many have that the rest is not told one by one. */
export interface FileChange {
  path: string
  old_path?: string
  change: string
  is_cut?: boolean
}

export interface SocketEvents {
  /** The connection is up, at the given position. `whole`: nothing is missing before it. */
  opened: (cursor: Cursor, whole: boolean) => void
  event: (event: MonitorEvent) => void
  row?: (row: RowNotice) => void
  /** Text that the session of the subscription is writing. */
  piece?: (piece: Piece) => void
  /** What the terminal of the session shows, if the subscription names the type. */
  screen?: (screen: Screen) => void
  /** How many other clients look at the session that this browser looks at. */
  viewers?: (viewers: Viewers) => void
  /** Of the workspace of the subscription. */
  file?: (change: FileChange) => void
  /** The state of the workspace's repository has changed. */
  git?: () => void
  closed: (reason: "signed-out" | "lost") => void
  /** Whether the socket is still needed when its ticket has come; if not, nothing is told. */
  isWanted: () => boolean
}

export interface Viewers {
  session: string
  others: number
}

interface Viewed {
  session_id?: string
  viewer_count?: number
}

interface Reply {
  id?: number
  method?: string
  params?: MonitorEvent & { payload?: Viewed | FileChange }
  result?: { epoch: string; seq: number; recovered?: boolean; head?: number } & Viewed
  error?: { message: string }
}

const presenceEvents = new Set(["event/session_joined", "event/session_left"])

/** The server sends a heartbeat every 30 s. */
const silenceMilliseconds = 45_000

/** One WebSocket, from its opening to its end. */
export class Socket {
  private readonly socket: WebSocket
  private watchdog = 0
  private isOver = false
  private isSubscribed = false

  private constructor(ticket: string, subscription: Subscription, private readonly events: SocketEvents) {
    this.socket = new WebSocket(socketAddress("ws"), ["jsonrpc", "ticket." + ticket])
    this.socket.onopen = () => {
      this.call(1, "initialize", { clientInfo: { name: "monitor-web", version: "1" } })
      this.call(2, "event/subscribe", subscription)
    }
    this.socket.onmessage = (message) => this.receive(String(message.data))
    this.socket.onclose = (close) => this.end(close.code === 4001 ? "signed-out" : "lost")
    this.listen()
  }

  /** A ticket opens the socket, because a page can send no header with it. */
  static async open(subscription: Subscription, events: SocketEvents): Promise<Socket | null> {
    let ticket: string
    try {
      ticket = (await send<{ ticket: string }>("POST", "/v1/tickets")).ticket
    } catch (fault) {
      if (!events.isWanted()) return null
      events.closed(fault instanceof ApiError && fault.status === 401 ? "signed-out" : "lost")
      return null
    }
    return events.isWanted() ? new Socket(ticket, subscription, events) : null
  }

  close(): void {
    this.isOver = true
    clearTimeout(this.watchdog)
    this.socket.close()
  }

  /** Calls without interest in the answer. */
  notify(method: string, params: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.call(3, method, params)
  }

  private call(id: number, method: string, params: object): void {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
  }

  private receive(text: string): void {
    this.listen()
    const message = JSON.parse(text) as Reply
    if (message.method === "event/session_row") return this.events.row?.(message.params as unknown as RowNotice)
    if (message.method === "event/pty_output") return this.events.screen?.(message.params as unknown as Screen)
    if (message.method === "event/file_changed") return this.events.file?.(message.params?.payload as FileChange)
    if (message.method === "event/git_status_changed") return this.events.git?.()
    if (message.method === "event/message_partial") return this.events.piece?.(message.params as unknown as Piece)
    if (message.method?.startsWith("event/") && message.params?.seq) {
      // Until it has read the subscription, the server sends everything.
      if (this.isSubscribed) this.events.event(message.params)
      return
    }
    if (this.isOver) return
    if (presenceEvents.has(message.method ?? "")) this.view(message.params?.session_id, message.params?.payload as Viewed)
    if (!message.result) return
    if (message.id === 2) {
      const { epoch, seq, recovered, head } = message.result
      this.isSubscribed = true
      this.events.opened({ epoch, seq: Math.max(seq, recovered === false ? head ?? 0 : 0) }, recovered !== false)
    } else if (message.id === 3) {
      this.view(message.result.session_id, message.result)
    }
  }

  private view(session: string | undefined, { viewer_count: count }: Viewed = {}): void {
    if (session && count) this.events.viewers?.({ session, others: count - 1 })
  }

  private listen(): void {
    clearTimeout(this.watchdog)
    this.watchdog = window.setTimeout(() => {
      this.socket.close()
      this.end("lost")
    }, silenceMilliseconds)
  }

  private end(reason: "signed-out" | "lost"): void {
    clearTimeout(this.watchdog)
    if (this.isOver) return
    this.isOver = true
    this.events.closed(reason)
  }
}
