import type { Route } from "../lib/route"
import { useSelected, useStore } from "../lib/store"
import { compact, money } from "../lib/time"
import { machines } from "../state/machines"
import { sessions } from "../state/sessions"
import { today } from "../state/today"
import { Composer } from "../drive/Composer"
import { NewSessionButton } from "../drive/NewSessionButton"
import { t } from "../words/words"
import { Health } from "./Health"
import { NextStep } from "./NextStep"
import { Pending } from "./Pending"
import { homeHash } from "./place"
import { SessionList } from "./SessionList"

interface Props {
  /** Where the list is not the view itself, it stands beside another one, without the cards of prompts. */
  view: Route["view"]
  selected: string | undefined
  /** Nothing stands beside it. */
  isAlone: boolean
}

/** Everything that runs, what needs a person first. */
export function ListPane({ view, selected, isAlone }: Props) {
  const isHome = view === "home"
  const sums = useStore(today)
  const count = useStore(machines).length
  const home = useStore(homeHash)
  const hasSessions = useSelected(sessions, (all) => all.size > 0)
  return (
    <div className={isHome ? "pane home" : "pane side"} role={isHome ? "main" : undefined}>
      <header className="bar">
        {isHome ? <h1>{t("sessions")}</h1> : <a className="plainlink title" href={home}>{t("sessions")}</a>}
        {isAlone && count > 0 && (
          <button type="button" className="quiet count" onClick={() => document.getElementById("health")?.scrollIntoView()}>
            {t("machines.count", { n: count })}
          </button>
        )}
        <span className="grow" />
        <Pending />
        {isHome && <NewSessionButton />}
        {sums && (
          <a className="num plainlink clip" href="#/figures">
            <b>{money(sums.cost)}</b>{" "}
            <span className="soft small">{t("today")}<span className="tokens"> · {t("today.tokens", { n: compact(sums.tokens) })}</span></span>
          </a>
        )}
      </header>
      {isHome && hasSessions && <Composer />}
      <SessionList selected={selected} isCompact={!isHome} hasFilter={view !== "sessions" && view !== "search"} />
      {isHome && hasSessions && <NextStep />}
      {isHome && isAlone && <Health />}
    </div>
  )
}
