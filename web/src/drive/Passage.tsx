import type { Session } from "../api/types"
import { t } from "../words/words"

/** Where a session goes on, if not here and now: as another one after /clear, or with the next message. */
export function Passage({ session }: { session: Session }) {
  if (session.continued_by) {
    return (
      <p className="small soft passage">
        {t("continued.by")} <a href={"#/s/" + encodeURIComponent(session.continued_by)}>{t("continued.open")}</a>
      </p>
    )
  }
  if (!session.parked || session.status === "ended") return null
  return <p className="small soft passage"><span className="tag">{t("parked")}</span> {t("parked.means")}</p>
}
