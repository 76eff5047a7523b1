import type { MonitorEvent, Piece } from "../api/types"
import { connection, newest } from "./live"
import { added, type Text } from "../drive/text"
import { Retry } from "./retry"
import { Socket, type Cursor } from "./socket"

export interface SessionListener {
  event: (event: MonitorEvent) => unknown
  /** Text that the session is writing. */
  piece?: (piece: Piece) => void
  /** Events may have been missed. */
  reload: () => void
}

const streams = new Map<string, SessionStream>()

/**
 * Listens to all events of one session, which the list does without. Each tab that shows a session has a socket for it.
 * @returns ends the listening
 */
export function follow(session: string, listener: SessionListener): () => void {
  const stream = streams.get(session) ?? new SessionStream(session)
  streams.set(session, stream)
  stream.listeners.add(listener)
  stream.tellText(listener)
  return () => {
    stream.listeners.delete(listener)
    if (stream.listeners.size > 0) return
    streams.delete(session)
    stream.close()
  }
}

/** It resumes after the last event, so that a lost connection costs none. */
class SessionStream {
  readonly listeners = new Set<SessionListener>()
  private cursor: Cursor | null = newest()
  /** What was read before the position was known may lack what came meanwhile. */
  private isBlind = newest() === null
  private socket: Socket | null = null
  /** What the session is writing. */
  private text: Text | null = null
  private isOver = false
  private isOpening = false
  private readonly retry = new Retry()
  private readonly stopWatching: () => void

  constructor(private readonly session: string) {
    this.open()
    // The first socket of this browser that finds the server shows that it is there.
    this.stopWatching = connection.watch(() => {
      if (connection.get() === "open" && !this.socket && !this.isOpening) this.open()
    })
  }

  close(): void {
    this.isOver = true
    this.retry.stop()
    this.stopWatching()
    this.socket?.close()
  }

  private open(): void {
    this.retry.stop()
    this.cursor ??= newest()
    if (!this.cursor) return
    this.isOpening = true
    void Socket.open({ session_id: this.session, since: this.cursor }, {
      isWanted: () => !this.isOver,
      opened: (position, whole) => {
        this.retry.succeeded()
        if (whole && !this.isBlind) return
        this.isBlind = false
        if (!whole) this.cursor = position
        for (const listener of [...this.listeners]) listener.reload()
      },
      event: (event) => this.deliver(event),
      piece: (piece) => {
        this.text = added(this.text, piece)
        for (const listener of [...this.listeners]) listener.piece?.(piece)
      },
      closed: (reason) => {
        this.isOpening = false
        this.socket = null
        if (!this.isOver && reason === "lost") this.retry.later(() => this.open())
      },
    }).then((opened) => {
      this.isOpening = false
      this.socket = opened
      if (this.isOver) opened?.close()
    })
  }

  /** Tells a listener that comes later what is written so far. */
  tellText(listener: SessionListener): void {
    if (!this.text || this.text.isDone) return
    listener.piece?.({ session_id: this.session, message_id: this.text.messageID, text: this.text.text, replaces: true })
  }

  private deliver(event: MonitorEvent): void {
    if (this.isOver || (this.cursor && event.epoch === this.cursor.epoch && event.seq <= this.cursor.seq)) return
    this.cursor = { epoch: event.epoch ?? this.cursor?.epoch ?? "", seq: event.seq }
    for (const listener of [...this.listeners]) listener.event(event)
  }
}
