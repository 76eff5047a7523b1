import { lazy, Suspense, useEffect, useRef, type Component } from "react"
import { useStore } from "../lib/store"
import { mayAdminister } from "../state/me"
import { t, type Word } from "../words/words"
import { About } from "./About"
import { Audit } from "./Audit"
import { Devices } from "./Devices"
import { Machines } from "./Machines"
import { Notifications } from "./Notifications"
import { Rules } from "./Rules"
import { Skeleton } from "../parts/Notice"
import { useTitle } from "../state/title"
import { useKeptScroll } from "../views/keptScroll"
import { ThisBrowser } from "./ThisBrowser"

/** These have words of their own. */
async function diagnostics() {
  const views = await import("../diagnostics/views")
  await views.loadDiagnosticWords()
  return views
}
const Models = lazy(async () => ({ default: (await diagnostics()).Models }))
const Diagnostics = lazy(async () => ({ default: (await diagnostics()).Diagnostics }))

const pages: { name: string; word: Word; view: Component<object> }[] = [
  { name: "browser", word: "settings.browser", view: ThisBrowser },
  { name: "notifications", word: "settings.notifications", view: Notifications },
  { name: "machines", word: "settings.machines", view: Machines },
  { name: "devices", word: "settings.devices", view: Devices },
  { name: "rules", word: "settings.rules", view: Rules },
  { name: "models", word: "settings.models", view: Models },
  { name: "diagnostics", word: "settings.diagnostics", view: Diagnostics },
  { name: "audit", word: "settings.audit", view: Audit },
  { name: "about", word: "settings.about", view: About },
]

export function Settings({ page }: { page: string }) {
  useTitle(t("settings"))
  const view = useKeptScroll<HTMLElement>(true, page)
  const current = pages.find((one) => one.name === page) ?? pages[0]!
  const View = current.view
  const isAdministrator = useStore(mayAdminister)
  const tabs = useRef<HTMLElement>(null)
  // Where there is no room for all, the one that is shown must be in view.
  useEffect(() => {
    void tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [page])
  return (
    <main ref={view} className="page settings">
      <header className="bar"><h1>{t("settings")}</h1></header>
      <nav ref={tabs} className="pages" aria-label={t("settings")}>
        {pages.map((one) => (
          <a key={one.name} href={"#/settings/" + one.name} aria-current={one === current ? "page" : undefined}>{t(one.word)}</a>
        ))}
        <a href="#/tools">{t("tools")}</a>
      </nav>
      <section className="panel" aria-label={t(current.word)}>
        <h2>{t(current.word)}</h2>
        <Suspense fallback={<Skeleton label={t("reading")} />}><View key={`${current.name} ${isAdministrator}`} /></Suspense>
      </section>
    </main>
  )
}
