const lockName = "monitor-live"

/**
 * One tab of the browser leads: it holds the connection. When it is closed, another takes its place. Without locks
 * (they need a secure context) each tab leads itself.
 */
export function leadOnce(lead: () => void): void {
  if (!navigator.locks) return lead()
  void navigator.locks.request(lockName, () => {
    lead()
    return new Promise<void>(() => undefined)
  })
}

/** Messages between the tabs of this browser. */
export class TabChannel<T> {
  private readonly channel = "BroadcastChannel" in window ? new BroadcastChannel("monitor-live") : null

  constructor(received: (message: T) => void) {
    if (this.channel) this.channel.onmessage = (message) => received(message.data as T)
  }

  send(message: T): void {
    this.channel?.postMessage(message)
  }
}
