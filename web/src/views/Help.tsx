import { Dialog } from "../parts/Dialog"
import { t, type Word } from "../words/words"

const keys: [string, Word][] = [
  ["j  k", "key.move"], ["←  →", "key.step"], ["Enter", "key.open"], ["a", "key.allow"], ["d", "key.deny"], ["/", "key.search"], ["Ctrl K", "key.palette"],
  ["e  p  f", "key.jump"], ["E  P  F", "key.jumpAfter"], ["n  p", "key.change"], ["i", "key.details"], ["g", "key.home"], ["Esc", "key.back"], ["?", "key.help"],
]

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("help")} onClose={onClose}>
      <dl className="kv keys">
        {keys.map(([key, word]) => [<dt key={key}><kbd>{key}</kbd></dt>, <dd key={key + " "}>{t(word)}</dd>])}
      </dl>
      <button type="button" onClick={onClose}>{t("close")}</button>
    </Dialog>
  )
}
