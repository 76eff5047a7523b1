import { useStore } from "../lib/store"
import { Command } from "../parts/Copy"
import { me } from "../state/me"
import { t } from "../words/words"

/** For a view that this browser may not use: the commands that do the same, and the one that lets the browser do it. */
export function NeedsAdminister({ commands = [] }: { commands?: string[] }) {
  const who = useStore(me)
  return (
    <div>
      {commands.length > 0 && <p className="small soft">{t("mayNot.administer")}</p>}
      {commands.map((command) => <Command key={command} text={command} />)}
      <p className="small soft">{t("grant.administer")}</p>
      <Command text={`monitorctl device grant ${who?.id ?? "ID"} administer`} />
    </div>
  )
}
