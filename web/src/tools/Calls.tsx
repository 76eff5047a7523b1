import { search } from "../api/http"
import { go } from "../lib/route"
import { useStore } from "../lib/store"
import { machines } from "../state/machines"
import { useTitle } from "../state/title"
import { Choice } from "../views/Filters"
import { useKeptScroll } from "../views/keptScroll"
import { named, t } from "../words/words"
import { CallList } from "./CallList"
import { CallSums } from "./CallSums"
import { callStates } from "./callState"

/** All calls of tools that somebody asked for, and what became of them. What is chosen stands in the address. */
export function Calls({ query }: { query: string }) {
  useTitle(t("calls"))
  const view = useKeptScroll<HTMLElement>(true)
  const given = new URLSearchParams(query)
  const machine = given.get("machine") ?? ""
  const status = given.get("status") ?? ""
  const names = useStore(machines).map((one) => one.name)
  const change = (asked: { machine: string; status: string }) => go("#/tools/calls" + search(asked))
  return (
    <main ref={view} className="page tools">
      <header className="bar">
        <a className="back" href="#/tools" aria-label={t("tools.back")}><span aria-hidden="true">‹</span></a>
        <h1 className="grow">{t("calls")}</h1>
      </header>
      <p className="note soft small">{t("calls.means")}</p>
      <div className="filters all">
        <Choice label={t("filter.machine")} first={t("search.machines")} values={machine && !names.includes(machine) ? [machine, ...names] : names}
          value={machine} onChange={(chosen) => change({ machine: chosen, status })} />
        <Choice label={t("calls.status")} first={t("calls.anyStatus")} values={callStates} value={status}
          name={(one) => named("calls.status", one)} onChange={(chosen) => change({ machine, status: chosen })} />
      </div>
      <CallSums machine={machine || undefined} />
      <CallList key={machine + " " + status} machine={machine || undefined} status={status || undefined} />
    </main>
  )
}
