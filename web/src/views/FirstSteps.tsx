import { base } from "../lib/base"
import { Command } from "../parts/Copy"
import { t } from "../words/words"

/** What to do where no machine has sent anything yet. */
export function FirstSteps() {
  const url = base.origin + base.pathname.replace(/\/$/, "")
  return (
    <section className="empty steps">
      <h2>{t("first.title")}</h2>
      <p className="soft">{t("first.text")}</p>
      <ol>
        <li><p>{t("first.key")}</p><Command text={'monitorctl key create "$(uname -n)"'} /></li>
        <li><p>{t("first.install")}</p><Command text={`hooks/install.sh --url ${url} --key KEY`} /></li>
        <li><p>{t("first.start")}</p><Command text="claude" /></li>
      </ol>
    </section>
  )
}
