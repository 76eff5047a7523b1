import { useStore } from "../../lib/store"
import { t } from "../../words/words"
import { chooseLayout, layout } from "./layout"

/** Shown where there is room for two sides. */
export function LayoutChoice() {
  const chosen = useStore(layout)
  return (
    <div className="segments layouts" role="group" aria-label={t("diff.layout")}>
      <button type="button" className="quiet" aria-pressed={chosen === "unified"} onClick={() => chooseLayout("unified")}>{t("diff.unified")}</button>
      <button type="button" className="quiet" aria-pressed={chosen === "sides"} onClick={() => chooseLayout("sides")}>{t("diff.sides")}</button>
    </div>
  )
}
