import type { Session } from "../api/types"
import { useStore } from "../lib/store"
import { ago, clockDuration, dateAndTime, now, secondsSince } from "../lib/time"
import { lastActive, machines } from "../state/machines"

/** `12 min ago`, kept up to date. */
export function Ago({ time, className }: { time: string | undefined; className?: string }) {
  const at = useStore(now)
  return <time className={className} dateTime={time} title={dateAndTime(time)}>{ago(time, at)}</time>
}

const daySeconds = 86_400

/** `12 min ago` within a day, and the date beyond. */
export function When({ time, className }: { time: string | undefined; className?: string }) {
  const at = useStore(now)
  return <time className={className} dateTime={time} title={dateAndTime(time)}>{secondsSince(time, at) < daySeconds ? ago(time, at) : dateAndTime(time)}</time>
}

/** When a session was last active, by the server's clock. */
export function LastActive({ session }: { session: Session }) {
  useStore(machines)
  return <Ago time={new Date(lastActive(session)).toISOString()} />
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
