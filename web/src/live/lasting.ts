import { connection } from "./live"
import { Retry } from "./retry"
import { Socket, type SocketEvents, type Subscription } from "./socket"

/** A socket of its own for what one view shows. It is opened again after a loss, until it is closed. */
export class LastingSocket {
  private socket: Socket | null = null
  private isOver = false
  private isOpening = false
  private readonly retry = new Retry()
  private readonly stopWatching: () => void

  /** @param subscription `null`: not known yet; asked again once the browser is connected */
  constructor(private readonly subscription: () => Subscription | null, private readonly events: Omit<SocketEvents, "isWanted" | "closed">) {
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
    const subscription = this.subscription()
    if (!subscription) return
    this.isOpening = true
    void Socket.open(subscription, {
      ...this.events,
      isWanted: () => !this.isOver,
      opened: (position, whole) => {
        this.retry.succeeded()
        this.events.opened(position, whole)
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
}
