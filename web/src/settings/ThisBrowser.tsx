import { useState } from "react"
import { signOut } from "../api/signin"
import { asApiError } from "../api/errors"
import { useStore } from "../lib/store"
import { Command } from "../parts/Copy"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { isUndoWide, setUndoWide } from "../prompts/undo"
import { me } from "../state/me"
import { Install } from "./Install"
import { forgetShown } from "../state/offline"
import { say } from "../state/toast"
import { explained, chooseLanguage, language, languages, named, t } from "../words/words"
import { chooseTheme, theme, themes } from "./theme"
import { maySay } from "./maySay"

/** Whether every answer can be taken back for some seconds. */
function UndoChoice() {
  const [isWide, setWide] = useState(isUndoWide())
  return (
    <label className="opt">
      <input type="checkbox" checked={isWide} aria-label={t("undo.all")} onChange={(event) => {
        setUndoWide(event.target.checked)
        setWide(event.target.checked)
        say(t("saved"))
      }} />
      <span><b>{t("undo.all")}</b><span className="small soft under">{t("undo.hint")}</span></span>
    </label>
  )
}

export function ThisBrowser() {
  const who = useStore(me)
  const look = useStore(theme)
  const [error, setError] = useState<string | null>(null)
  const leave = () => {
    signOut().then(() => {
      forgetShown()
      location.assign("./")
    }, (fault: unknown) => setError(explained(asApiError(fault))))
  }
  return (
    <div className="stack">
      {who && (
        <dl className="kv">
          <dt>{t("device.name")}</dt><dd><Plain text={who.name ?? who.id ?? ""} /></dd>
          <dt>{t("device.id")}</dt><dd>{who.id}</dd>
          <dt>{t("device.may")}</dt><dd>{maySay(who.capabilities)}</dd>
        </dl>
      )}
      {who && !who.capabilities.includes("respond") && (
        <div><p className="small soft">{t("grant.respond")}</p><Command text={`monitorctl device grant ${who.id} respond`} /></div>
      )}
      {who && !who.capabilities.includes("administer") && (
        <div><p className="small soft">{t("grant.administer")}</p><Command text={`monitorctl device grant ${who.id} administer`} /></div>
      )}
      <label className="field"><b>{t("theme")}</b>
        <select value={look} onChange={(event) => {
          chooseTheme(event.target.value)
          say(t("saved"))
        }}>
          {themes.map((one) => <option key={one} value={one}>{named("theme", one)}</option>)}
        </select>
      </label>
      <label className="field"><b>{t("language")}</b>
        <select value={language()} onChange={(event) => chooseLanguage(event.target.value)}>
          {Object.entries(languages).map(([tag, name]) => <option key={tag} value={tag} lang={tag}>{name}</option>)}
        </select>
      </label>
      <UndoChoice />
      <Install />
      <Fault error={error} />
      <button type="button" onClick={leave}>{t("signOut")}</button>
    </div>
  )
}
