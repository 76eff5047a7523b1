import type { Screen } from "../api/types"
import { newest } from "../live/live"
import { Retry } from "../live/retry"
import { Socket } from "../live/socket"

/** Follows what a session's terminal shows. After a lost connection it begins again with all that counts. */
export class ScreenStream {
  private socket: Socket | null = null
  private isOver = false
  private readonly retry = new Retry()

  constructor(
    private readonly session: string,
    private readonly show: (screen: Screen) => void,
    private readonly connected: (is: boolean) => void,
  ) {
    this.open()
  }

  close(): void {
    this.isOver = true
    this.retry.stop()
    this.socket?.close()
  }

  private open(): void {
    void Socket.open({ session_id: this.session, types: ["pty_output"], since: newest() ?? undefined }, {
      isWanted: () => !this.isOver,
      opened: () => {
        this.retry.succeeded()
        this.connected(true)
      },
      event: () => undefined,
      screen: this.show,
      closed: () => {
        this.socket = null
        this.connected(false)
        if (!this.isOver) this.retry.later(() => this.open())
      },
    }).then((opened) => {
      this.socket = opened
      if (this.isOver) opened?.close()
    })
  }
}
