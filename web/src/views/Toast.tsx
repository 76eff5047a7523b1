import { useStore } from "../lib/store"
import { hush, toast } from "../state/toast"
import { t } from "../words/words"

export function ToastLine() {
  const shown = useStore(toast)
  const undo = shown?.undo
  return (
    <div className={shown ? "toast" : "toast none"}>
      <p role="status">{shown?.text}</p>
      {undo && <button type="button" className="quiet" onClick={() => {
        hush()
        undo()
      }}>{t("undo")}</button>}
    </div>
  )
}
