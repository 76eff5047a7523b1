import { useStore } from "../lib/store"
import { Command } from "../parts/Copy"
import { Plain } from "../parts/Plain"
import { NeedsAdminister } from "../settings/NeedsAdminister"
import { NewKey } from "../settings/NewKey"
import { machines } from "../state/machines"
import { mayAdminister } from "../state/me"
import { t } from "../words/words"

/** What to do while no machine has sent anything: give a machine a key, run the command there, start Claude Code. */
export function FirstSteps() {
  const isAdministrator = useStore(mayAdminister)
  const heard = useStore(machines).filter((machine) => machine.last_seen_at)
  return (
    <section className="empty steps">
      <h2>{t("first.title")}</h2>
      <p className="soft">{t("first.text")}</p>
      <ol>
        <li>
          <p>{t("first.key")}</p>
          {isAdministrator ? <NewKey /> : <NeedsAdminister commands={['monitorctl key create "$(uname -n)"']} />}
        </li>
        <li><p>{t("first.start")}</p><Command text="claude" /></li>
        {isAdministrator && <li><p>{t("first.phone")}</p><a className="button yes" href="#/settings/devices">{t("first.pair")}</a></li>}
      </ol>
      <p role="status">
        {heard.length === 0 ? t("first.waiting") : heard.map((machine) => (
          <span key={machine.id}>✓ {t("first.heard")} <b><Plain text={machine.name} /></b></span>
        ))}
      </p>
    </section>
  )
}
