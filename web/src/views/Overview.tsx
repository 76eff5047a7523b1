import { useStore } from "../lib/store"
import { sessions } from "../state/sessions"
import { t } from "../words/words"
import { Health } from "./Health"

/** Beside the list, while nothing of it is open. */
export function Overview() {
  const isEmpty = useStore(sessions).size === 0
  return (
    <section className="overview" aria-label={t("overview")}>
      <header className="bar"><h2>{t("overview")}</h2></header>
      {!isEmpty && <p className="soft hint">{t("overview.hint")}</p>}
      <Health />
    </section>
  )
}
