import { t } from "../words/words"
import type { Inbox } from "./useInbox"

/** Beside the name of the first group: from one prompt to another. */
export function Pager({ inbox }: { inbox: Inbox }) {
  return (
    <div className="pager small soft">
      <button type="button" className="quiet" aria-label={t("prompt.previous")} title={t("prompt.previous")} onClick={() => inbox.step(-1)}>
        <span aria-hidden="true">‹</span>
      </button>
      {inbox.place > 0 && <span className="num">{t("prompt.place", { n: inbox.place, of: inbox.count })}</span>}
      <button type="button" className="quiet" aria-label={t("prompt.nextOne")} title={t("prompt.nextOne")} onClick={() => inbox.step(1)}>
        <span aria-hidden="true">›</span>
      </button>
    </div>
  )
}
