import { useStore } from "../lib/store"
import { ago, clockDuration, dateAndTime, now, secondsSince } from "../lib/time"

/** `12 min ago`, kept up to date. */
export function Ago({ time, className }: { time: string | undefined; className?: string }) {
  const at = useStore(now)
  return <time className={className} dateTime={time} title={dateAndTime(time)}>{ago(time, at)}</time>
}

/** `0:42`, running. */
export function Running({ since, className }: { since: string | undefined; className?: string }) {
  const at = useStore(now)
  return (
    <time className={className} dateTime={since} title={dateAndTime(since)}>
      {clockDuration(secondsSince(since, at))}
    </time>
  )
}
