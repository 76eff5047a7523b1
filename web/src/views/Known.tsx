import { useStore } from "../lib/store"
import { now, shortAge } from "../lib/time"
import { connection } from "../live/live"
import { Fault, Skeleton } from "../parts/Notice"
import { knownAt } from "../state/offline"
import { loadPrompts, promptsFault } from "../state/prompts"
import { loadFault, loadSessions, sessions, sessionsLoaded } from "../state/sessions"
import { t } from "../words/words"

/** While the server has not answered: how old the list is; where nothing is known, the shape of what will stand there. */
export function Known() {
  const at = useStore(knownAt)
  const time = useStore(now)
  const isLoaded = useStore(sessionsLoaded)
  const isEmpty = useStore(sessions).size === 0
  const fault = useStore(loadFault)
  if (isLoaded || fault) return <Unread isEmpty={isEmpty} />
  if (!isEmpty && at !== null) return <p className="known small soft" role="status">{t("list.known", { age: t("age.ago", { age: shortAge((time - at) / 1000) }) })}</p>
  return <Skeleton label={t("list.reading")} />
}

/** What could not be read. That the connection is lost is said elsewhere, so it is said here only where nothing else is shown. */
function Unread({ isEmpty }: { isEmpty: boolean }) {
  const isLost = useStore(connection) === "lost"
  const fault = useStore(loadFault)
  const ofPrompts = useStore(promptsFault)
  if (isLost && !isEmpty) return null
  if (fault) return <Fault what={t("unread.sessions")} error={fault} again={() => void loadSessions()} />
  return <Fault what={t("unread.prompts")} error={ofPrompts} again={() => void loadPrompts()} />
}
