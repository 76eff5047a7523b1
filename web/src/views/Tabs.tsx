import type { Route } from "../lib/route"
import { t, type Word } from "../words/words"

const tabs: { view: Route["view"]; href: string; word: Word }[] = [
  { view: "home", href: "#/", word: "sessions" },
  { view: "figures", href: "#/figures", word: "figures" },
  { view: "search", href: "#/search", word: "search" },
  { view: "settings", href: "#/settings", word: "settings" },
]

export function Tabs({ view }: { view: Route["view"] }) {
  return (
    <nav className="tabs" aria-label={t("views")}>
      {tabs.map((tab) => (
        <a key={tab.view} href={tab.href} aria-current={tab.view === view ? "page" : undefined}>{t(tab.word)}</a>
      ))}
    </nav>
  )
}
