import { useStore } from "../lib/store"
import { now, shortAge } from "../lib/time"
import { connection } from "../live/live"
import { knownAt } from "../state/offline"
import { sessions, sessionsLoaded } from "../state/sessions"
import { t } from "../words/words"

const rows = [70, 45, 60, 52]

/** While the server has not answered: how old the list is; where nothing is known, the shape of what will stand there. */
export function Known() {
  const at = useStore(knownAt)
  const time = useStore(now)
  const isLoaded = useStore(sessionsLoaded)
  const isLost = useStore(connection) === "lost"
  const isEmpty = useStore(sessions).size === 0
  if (isLoaded || isLost) return null
  if (!isEmpty && at !== null) return <p className="known small soft" role="status">{t("list.known", { age: t("age.ago", { age: shortAge((time - at) / 1000) }) })}</p>
  return (
    <div className="skeleton" role="progressbar" aria-label={t("list.reading")}>
      {rows.map((width) => <i key={width} className={"w" + width} aria-hidden="true" />)}
    </div>
  )
}
