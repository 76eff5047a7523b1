import { today } from "../state/today"
import { machines } from "../state/machines"
import { useStore } from "../lib/store"
import { compact, money } from "../lib/time"
import { t } from "../words/words"
import { SessionList } from "./SessionList"
import { Health } from "./Health"
import { Pending } from "./Pending"

/** Everything that runs, what needs a person first. */
export function Home() {
  const sums = useStore(today)
  const count = useStore(machines).length
  return (
    <main className="home">
      <header className="bar">
        <h1>{t("sessions")}</h1>
        {count > 0 && (
          <button type="button" className="quiet count" onClick={() => document.getElementById("health")?.scrollIntoView()}>
            {t("machines.count", { n: count })}
          </button>
        )}
        <span className="grow" />
        <Pending />
        {sums && (
          <a className="num plainlink" href="#/figures">
            <b>{money(sums.cost)}</b>{" "}
            <span className="soft small">{t("today.tokens", { n: compact(sums.tokens) })}</span>
          </a>
        )}
      </header>
      <SessionList />
      <Health />
    </main>
  )
}
