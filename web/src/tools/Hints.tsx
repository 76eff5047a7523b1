import { t } from "../words/words"
import { hintsOf } from "./annotations"

/** What a server says of a tool's effects. Nobody has checked it. */
export function Hints({ annotations }: { annotations: unknown }) {
  const hints = hintsOf(annotations)
  if (hints.length === 0) return <p className="small soft">{t("hint.none")}</p>
  return (
    <div className="hints small">
      <p className="soft">{t("hint.says")}</p>
      <ul>{hints.map((hint) => <li key={hint}>{t(hint)}</li>)}</ul>
    </div>
  )
}
