import type { MonitorEvent, Piece } from "../api/types"
import { added, type Text } from "../drive/text"
import { LastingSocket } from "./lasting"
import { newest } from "./live"
import type { Cursor } from "./socket"

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
  /** What the session is writing. */
  private text: Text | null = null
  private isOver = false
  private readonly socket: LastingSocket

  constructor(private readonly session: string) {
    this.socket = new LastingSocket(() => {
      this.cursor ??= newest()
      return this.cursor && { session_id: session, since: this.cursor }
    }, {
      opened: (position, whole) => {
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
    })
  }

  close(): void {
    this.isOver = true
    this.socket.close()
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
