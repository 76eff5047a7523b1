import { useStore } from "../lib/store"
import { machines } from "../state/machines"
import { mayControl } from "../state/me"
import { t } from "../words/words"
import { starting } from "./starting"

/** Shown where it can mean something: this device may start sessions, or a machine has an agent. */
export function NewSessionButton() {
  const may = useStore(mayControl)
  const isAny = useStore(machines).some((machine) => machine.agent && machine.agent.state !== "none")
  if (!may && !isAny) return null
  return (
    <button type="button" className="new" aria-label={t("start.new")} title={t("start.new")} onClick={() => starting.set({})}>
      <span aria-hidden="true">+</span>
    </button>
  )
}
