import { useRef } from "react"
import { useKeys } from "../../lib/keys"
import { t } from "../../words/words"

interface Props {
  text: string
  isContents: boolean
  onText: (text: string) => void
  onWay: (isContents: boolean) => void
  /** Contents are looked into when the person asks for it: it takes the machine seconds. */
  onSubmit: () => void
  /** Reads the tree anew. */
  onRead: () => void
}

export function SearchBox({ text, isContents, onText, onWay, onSubmit, onRead }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => field.current?.focus() })
  return (
    <form className="finder" role="search" onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}>
      <input ref={field} type="search" value={text} aria-label={t("files.find")} placeholder={t(isContents ? "files.findText" : "files.findName")} dir="auto"
        spellCheck={false} autoCapitalize="off" autoComplete="off" maxLength={256} enterKeyHint="search" onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text) {
            event.preventDefault()
            onText("")
          } else if (event.key === "ArrowDown") {
            event.preventDefault()
            event.currentTarget.closest(".side-by")?.querySelector<HTMLElement>(".hits a, [role=treeitem][tabindex='0']")?.focus()
          }
        }} />
      <div className="segments" role="group" aria-label={t("files.findIn")}>
        <button type="button" className="quiet" aria-pressed={!isContents} onClick={() => onWay(false)}>{t("files.names")}</button>
        <button type="button" className="quiet" aria-pressed={isContents} onClick={() => onWay(true)}>{t("files.contents")}</button>
      </div>
      <button type="button" className="quiet" aria-label={t("files.readAnew")} title={t("files.readAnew")} onClick={onRead}><span aria-hidden="true">↻</span></button>
    </form>
  )
}
