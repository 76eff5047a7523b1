import { t, type Word } from "../words/words"

interface Props {
  word: Word
  /** What is shown where a card is narrow: a part of the whole name, which a screen reader says in any case. */
  short: Word
  type?: "button" | "submit"
  isBad?: boolean
  disabled: boolean
  title?: string
  onClick?: () => void
}

/** A button for an answer that is rarer than those at the end of the bar. */
export function Rare({ word, short, type = "button", isBad = false, disabled, title, onClick }: Props) {
  return (
    <button type={type} className={isBad ? "quiet bad" : "quiet"} aria-label={t(word)} disabled={disabled} title={title} onClick={onClick}>
      <span className="whole">{t(word)}</span><span className="short">{t(short)}</span>
    </button>
  )
}
