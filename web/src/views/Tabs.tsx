import type { Route } from "../lib/route"
import { useStore } from "../lib/store"
import { t, type Word } from "../words/words"
import { homeHash } from "./place"

interface Tab {
  view: Route["view"]
  href: string
  word: Word
  /** It has room from so many pixels on; below that, others lead there. */
  from?: "wide" | "wider"
  /** In the narrow bar. */
  short?: Word
  /** The outline of its sign, in a square of 24. */
  sign: string
}

const tabs: Tab[] = [
  { view: "home", href: "#/", word: "sessions", sign: "M4 6h16M4 12h16M4 18h10" },
  { view: "sessions", href: "#/sessions", word: "sessions.all", short: "nav.all", from: "wide", sign: "M4 5h16v14H4zM4 10h16M10 10v9" },
  { view: "projects", href: "#/projects", word: "projects", sign: "M3.5 6.5h6l2 2.5h9v10h-17zM3.5 6.5V5h6" },
  { view: "tools", href: "#/tools", word: "tools", from: "wider", sign: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" },
  { view: "figures", href: "#/figures", word: "figures", sign: "M5 19V11M12 19V5M19 19v-6" },
  { view: "search", href: "#/search", word: "search", sign: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5L20 20" },
  { view: "settings", href: "#/settings", word: "settings", sign: "M4 8h9M19 8h1M4 16h1M11 16h9M16 5.5a2.5 2.5 0 1 0 .01 0M8 13.5a2.5 2.5 0 1 0 .01 0" },
]

/** The navigation, at the same place in every view. */
export function Tabs({ view }: { view: Route["view"] }) {
  const home = useStore(homeHash)
  const shown = tabs.some((tab) => tab.view === view) ? view : view === "files" || view === "git" ? "projects" : "home"
  return (
    <nav className="tabs" aria-label={t("views")}>
      {tabs.map((tab) => (
        <a key={tab.view} className={tab.from} href={tab.view === "home" ? home : tab.href} aria-label={t(tab.word)}
          aria-current={tab.view === view ? "page" : tab.view === shown ? "true" : undefined}>
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d={tab.sign} /></svg>
          <span aria-hidden="true">{t(tab.short ?? tab.word)}</span>
        </a>
      ))}
    </nav>
  )
}
