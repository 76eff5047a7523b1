import { useId, useMemo, useRef, useState } from "react"
import { go, route, sessionLink } from "../lib/route"
import { useStore } from "../lib/store"
import { Dialog } from "../parts/Dialog"
import { Plain } from "../parts/Plain"
import { chooseTheme } from "../settings/theme"
import { archive, asked, pin } from "../state/change"
import { machines } from "../state/machines"
import { mayRespond } from "../state/me"
import { placeOf, sessionName, textsOf } from "../state/names"
import { needing } from "../state/given"
import { sessions } from "../state/sessions"
import { named, t, type Word } from "../words/words"
import { useSessionsBy } from "./found"

interface Choice {
  key: string
  kind: Word
  text: string
  place?: string
  act: () => void
}

const mostOfKind = 7

const views: [string, Word][] = [
  ["#/", "sessions"], ["#/sessions", "sessions.all"], ["#/projects", "projects"], ["#/tools", "tools"], ["#/figures", "figures"], ["#/search", "search"], ["#/settings/browser", "settings.browser"],
  ["#/settings/notifications", "settings.notifications"], ["#/settings/machines", "settings.machines"], ["#/settings/devices", "settings.devices"],
  ["#/settings/models", "settings.models"], ["#/settings/diagnostics", "settings.diagnostics"], ["#/settings/audit", "settings.audit"], ["#/settings/about", "settings.about"],
]

/** Goes to a session, a machine or a view, or does something, by a few letters of its name. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  const choices = useChoices(text, onHelp)
  const chosen = Math.min(at, choices.length - 1)
  const take = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.act()
  }
  const move = (to: number) => {
    const next = (to + choices.length) % Math.max(1, choices.length)
    setAt(next)
    list.current?.children[next]?.scrollIntoView({ block: "nearest" })
  }
  return (
    <Dialog className="palette" title={t("palette")} onClose={onClose}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls={id} aria-autocomplete="list" aria-label={t("palette.field")}
        aria-activedescendant={choices[chosen] ? `${id}-${chosen}` : undefined} placeholder={t("palette.field")} value={text} autoFocus dir="auto"
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
          if (step === 0 && event.key !== "Enter") return
          event.preventDefault()
          if (step) move(chosen + step)
          else if (!event.isComposing) take(choices[chosen])
        }} />
      <ul ref={list} id={id} role="listbox" aria-label={t("palette")}>
        {choices.map((choice, index) => (
          <li key={choice.key} id={`${id}-${index}`} role="option" aria-selected={index === chosen} onClick={() => take(choice)}>
            <span className="grow clip"><Plain text={choice.text} />{choice.place && <span className="soft small"> <Plain text={choice.place} /></span>}</span>
            <span className="soft small">{t(choice.kind)}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="soft small">{t("search.nothing")}</p>}
    </Dialog>
  )
}

/** What fits the letters: sessions first, then machines, views and what can be done. */
function useChoices(text: string, onHelp: () => void): Choice[] {
  const known = useStore(sessions)
  const hosts = useStore(machines)
  const mayChange = useStore(mayRespond)
  const shown = useStore(route)
  const waiting = useStore(needing)
  const older = useSessionsBy(text, mostOfKind).rows
  return useMemo(() => {
    const fits = (...parts: (string | undefined)[]) => isFitting(text, parts)
    const all = new Map([...older.map((one) => [one.id, one] as const), ...known])
    const rows = [...all.values()].filter((one) => fits(...textsOf(one)) || older.includes(one))
      .sort((one, other) => other.last_activity_at.localeCompare(one.last_activity_at)).slice(0, mostOfKind)
    const current = shown.view === "session" ? all.get(shown.id) : undefined
    const from = current && encodeURIComponent(current.project_id ?? current.workspace_id ?? "")
    const act = (key: string, name: string, run: () => void): Choice => ({ key, kind: "palette.action", text: name, act: run })
    const actions: Choice[] = [
      ...(waiting > 0 ? [act("answer", t("palette.answer", { n: waiting }), () => go("#/"))] : []),
      ...(current && from && mayChange ? [
        act("changes", t("changes"), () => go("#/changes/" + encodeURIComponent(current.id))),
        act("files", t("files"), () => go(`#/files/${from}?session=${encodeURIComponent(current.id)}`)),
        act("git", t("git"), () => go(`#/git/${from}?session=${encodeURIComponent(current.id)}`)),
      ] : []),
      ...(current && mayChange ? [
        act("rename", t("rename"), () => asked.set({ about: "rename", session: current })),
        act("pin", t(current.pinned ? "unpin" : "pin"), () => pin(current)),
        act("archive", t(current.archived ? "unarchive" : "archive"), () => archive([current.id], !current.archived)),
      ] : []),
      ...["light", "dark", "system"].map((theme) => act("theme " + theme, `${t("theme")}: ${named("theme", theme)}`, () => chooseTheme(theme))),
      act("help", t("help"), onHelp),
    ]
    return [
      ...rows.map((one): Choice => ({ key: one.id, kind: "table.session", text: sessionName(one), place: placeOf(one), act: () => go(sessionLink(one.id)) })),
      ...hosts.filter((one) => text.trim() && fits(one.name)).slice(0, mostOfKind).map((one): Choice => ({
        key: "machine " + one.id, kind: "filter.machine", text: one.name, act: () => go("#/?machine=" + encodeURIComponent(one.name)) })),
      ...views.filter(([, word]) => fits(t(word))).map(([hash, word]): Choice => ({ key: hash, kind: "view", text: t(word), act: () => go(hash) })),
      ...actions.filter((one) => fits(one.text)),
      ...(text.trim() ? [act("search", t("palette.search", { text: text.trim() }), () => go("#/search?q=" + encodeURIComponent(text.trim())))] : []),
    ]
  }, [text, known, hosts, mayChange, shown, waiting, older])
}

/** Whether each word of a text begins or stands somewhere in one of the parts. */
export function isFitting(text: string, parts: readonly (string | undefined)[]): boolean {
  const inside = parts.filter(Boolean).join("\n").toLowerCase()
  return text.toLowerCase().split(/\s+/).every((word) => inside.includes(word))
}
