const firstMilliseconds = 500
const longestMilliseconds = 15_000

/** Waits longer after each failure, with jitter, so that many browsers do not return at the same moment. */
export class Retry {
  private failures = 0
  private timer = 0

  succeeded(): void {
    this.failures = 0
  }

  /** Replaces an earlier wait. */
  later(work: () => void): void {
    clearTimeout(this.timer)
    const pause = Math.min(longestMilliseconds, firstMilliseconds * 2 ** this.failures)
    this.failures += 1
    this.timer = window.setTimeout(work, pause * (0.5 + Math.random() / 2))
  }

  stop(): void {
    clearTimeout(this.timer)
  }
}
