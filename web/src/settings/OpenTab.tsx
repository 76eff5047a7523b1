import { useStore } from "../lib/store"
import { chooseTabNotices, tabNotices } from "../state/tabChoice"
import { sound, startTabNotices } from "../state/tabNotices"
import { say } from "../state/toast"
import { t } from "../words/words"

/** What a tab of this page does, without pushes, when a prompt comes while nobody looks at it. */
export function OpenTab() {
  const chosen = useStore(tabNotices)
  const save = (part: Partial<typeof chosen>) => {
    chooseTabNotices({ ...chosen, ...part })
    startTabNotices()
    say(t("saved"))
  }
  // The browser asks the person once, when it is useful.
  const show = async (isShown: boolean) => {
    if (isShown && (await Notification.requestPermission()) !== "granted") return say(t("push.denied"))
    save({ isShown })
  }
  return (
    <fieldset>
      <legend><b>{t("tab.title")}</b></legend>
      {"Notification" in window && window.isSecureContext && (
        <label className="opt slim">
          <input type="checkbox" checked={chosen.isShown} onChange={(event) => void show(event.target.checked)} />
          <span>{t("tab.show")}</span>
        </label>
      )}
      <label className="opt slim">
        <input type="checkbox" checked={chosen.isHeard} onChange={(event) => {
          save({ isHeard: event.target.checked })
          if (event.target.checked) sound()
        }} />
        <span>{t("tab.sound")}</span>
      </label>
    </fieldset>
  )
}
