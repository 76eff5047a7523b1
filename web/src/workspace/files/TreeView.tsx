import { useEffect, useMemo, useRef, useState } from "react"
import { go } from "../../lib/route"
import { useStore } from "../../lib/store"
import { bytes, number } from "../../lib/time"
import { visibleText } from "../../lib/visible"
import { useRecovery } from "../../live/recovery"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { explained, t, textFor } from "../../words/words"
import { Refusal } from "../Refusal"
import { keyOf, type Place } from "./place"
import type { Entry } from "./requests"
import type { Tree, TreeRow } from "./tree"

interface Props {
  tree: Tree
  shown: Place | null
  linkOf: (place: Place) => string
}

/** The files of a project. Directories are read when they are opened, a page at a time. */
export function TreeView({ tree, shown, linkOf }: Props) {
  const state = useStore(tree.state)
  const rows = useMemo(() => tree.rows(), [tree, state])
  const [at, setAt] = useState<string | null>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => tree.show(shown), [tree, shown && keyOf(shown)])
  const failed = rows.find((row) => row.kind === "fault")
  useRecovery(failed?.kind === "fault" ? failed.error : null, () => void tree.refresh())
  const items = rows.filter(isItem)
  const current = at ?? (shown && "entry" + keyOf(shown)) ?? ""
  const focus = items.some((row) => idOf(row) === current) ? current : items[0] && idOf(items[0])
  const move = (row: Item | undefined) => {
    if (!row) return
    setAt(idOf(row))
    list.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(idOf(row))}"]`)?.focus()
  }
  const act = (row: Item) => {
    setAt(idOf(row))
    if (row.kind !== "entry") return void tree.readPage(row.place)
    if (!row.isDirectory) return go(linkOf(row.place))
    if (row.isOpen) tree.close(row.place)
    else tree.open(row.place)
  }
  const keys = (event: KeyboardEvent) => {
    const index = items.findIndex((row) => idOf(row) === focus)
    const row = items[index]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const isOpen = row.kind === "entry" && row.isOpen
    const parent = items.slice(0, index).reverse().find((one) => one.level < row.level)
    const ways: Record<string, () => void> = {
      ArrowDown: () => move(items[index + 1]), ArrowUp: () => move(items[index - 1]), Home: () => move(items[0]),
      End: () => move(items[items.length - 1]),
      ArrowRight: () => isOpen ? move(items[index + 1]) : row.kind === "entry" && row.isDirectory && tree.open(row.place),
      ArrowLeft: () => isOpen ? tree.close(row.place) : move(parent), Enter: () => act(row), " ": () => act(row),
    }
    const way = ways[event.key]
    if (!way) return
    event.preventDefault()
    way()
  }
  const first = rows[0]
  if (first?.kind === "reading" && rows.length === 1) return <Skeleton label={t("reading")} />
  return (
    <div ref={list} className="tree" onKeyDown={keys}>
      {first?.kind === "fault" && first.level === 1 && (
        <Refusal error={first.error} machine={tree.project.machine} needs="files=read" again={() => void tree.refresh()} />
      )}
      {first?.kind === "empty" && <p className="empty soft">{t("files.none")}</p>}
      {items.length > 0 && (
        <div role="tree" aria-label={t("files.tree")}>
          {rows.map((row) => <Row key={idOf(row)} row={row} onAct={act} isFocus={idOf(row) === focus}
            isShown={shown !== null && row.kind === "entry" && keyOf(row.place) === keyOf(shown)} />)}
        </div>
      )}
    </div>
  )
}

type Item = Extract<TreeRow, { kind: "entry" | "more" | "fault" }>

/** What a person can do something with. That the project itself cannot be read stands above the tree. */
function isItem(row: TreeRow): row is Item {
  return row.kind === "entry" || row.kind === "more" || (row.kind === "fault" && row.level > 1)
}

function idOf(row: TreeRow): string {
  return row.kind + keyOf(row.place)
}

interface RowProps {
  row: TreeRow
  isShown: boolean
  isFocus: boolean
  onAct: (row: Item) => void
}

function Row({ row, isShown, isFocus, onAct }: RowProps) {
  const style = { "--level": row.level - 1 }
  if (row.kind === "reading" || row.kind === "empty") {
    if (row.level === 1) return null
    return <div role="none" className="file none soft small" style={style}>{t(row.kind === "empty" ? "files.none" : "reading")}</div>
  }
  if (row.kind === "fault" && row.level === 1) return null
  const common = { role: "treeitem", style, "data-item": idOf(row), tabIndex: isFocus ? 0 : -1, "aria-level": row.level, onClick: () => onAct(row) }
  if (row.kind === "fault") {
    const reason = textFor(`refusal.${row.error.code}`, { machine: "" }) ?? explained(row.error)
    return <div {...common} className="file none fault small"><span className="wrap"><Plain text={reason} /> <u>{t("try.again")}</u></span></div>
  }
  if (row.kind === "more") {
    const text = row.isReading ? t("reading") : row.left === null ? t("files.moreUncounted") : t("files.more", { n: number(row.left) })
    return <div {...common} className="file none moreof small">{text}</div>
  }
  const { entry, isDirectory, isOpen } = row
  return (
    <div {...common} className={"file" + (entry.is_ignored ? " ignored" : "") + (isShown ? " sel" : "")} aria-selected={isShown}
      aria-expanded={isDirectory ? isOpen : undefined} aria-label={[visibleText(entry.name), ...marksOf(entry)].join(", ")}>
      {isDirectory ? <i className="turn" aria-hidden="true" /> : <i className="leaf" aria-hidden="true" />}
      <span className={isDirectory ? "grow clip folder" : "grow clip"}><Plain text={entry.name} /></span>
      {entry.is_secret && <span className="tag bad">{t("files.secret")}</span>}
      {entry.type === "link" && <span className="tag">{t("files.link")}</span>}
      {!isDirectory && entry.type === "file" && <span className="faint small num">{bytes(entry.size)}</span>}
    </div>
  )
}

function marksOf(entry: Entry): string[] {
  return [entry.is_secret ? t("files.secret") : "", entry.type === "link" ? t("files.link") : "", entry.is_ignored ? t("files.ignored") : ""].filter(Boolean)
}
