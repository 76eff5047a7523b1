import { connection, lastHeard } from "../live/live"
import { useStore } from "../lib/store"
import { now, secondsSince } from "../lib/time"
import { Ago } from "../parts/Age"
import { t } from "../words/words"

/** A short interruption is not worth a word. */
const patienceSeconds = 3

/** Says quietly that what is shown may be old. */
export function ConnectionLine() {
  const state = useStore(connection)
  const heard = useStore(lastHeard)
  const at = useStore(now)
  const since = new Date(heard).toISOString()
  if (state === "open" || secondsSince(since, at) < patienceSeconds) return <div role="status" className="connection" hidden />
  return (
    <div role="status" className="connection">
      {t("connection.lost")} <Ago time={since} />
    </div>
  )
}
