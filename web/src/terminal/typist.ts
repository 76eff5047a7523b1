/**
 * Sends what is typed, in order: one request at a time, and what comes meanwhile goes with the next. After a failure what
 * waits is dropped, because nobody knows whether it arrived.
 */
export class Typist {
  private waiting = ""
  private isSending = false

  constructor(private readonly send: (data: string) => Promise<unknown>, private readonly failed: (fault: unknown) => void) {}

  type(data: string): void {
    this.waiting += data
    if (!this.isSending) void this.work()
  }

  private async work(): Promise<void> {
    this.isSending = true
    try {
      while (this.waiting) {
        const data = this.waiting.slice(0, 4000)
        this.waiting = this.waiting.slice(data.length)
        await this.send(data)
      }
    } catch (fault) {
      this.waiting = ""
      this.failed(fault)
    } finally {
      this.isSending = false
    }
  }
}
