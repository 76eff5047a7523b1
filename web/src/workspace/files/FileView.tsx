import { useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import { saveFile } from "../../lib/save"
import { bytes, number } from "../../lib/time"
import { visibleText } from "../../lib/visible"
import { Ago } from "../../parts/Age"
import { CopyButton } from "../../parts/Code"
import { languageOfFile } from "../../parts/highlight"
import { Markdown } from "../../parts/Markdown"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { Lines } from "./Lines"
import { Picture, isPicture } from "./Picture"
import { nameOf, type Place } from "./place"
import { mostRaw, readBytes } from "./requests"
import { useFile, type ReadFile } from "./useFile"

interface Props {
  project: Project
  place: Place
  line: number
  onLine: (line: number) => void
  /** Where the tree is not beside it. */
  backTo: string
}

/** One file: its lines, a picture, or what is known of it. */
export function FileView({ project, place, line, onLine, backTo }: Props) {
  const { file, more, again } = useFile(project, place, line)
  const [isDocument, setDocument] = useState(false)
  const { facts, text } = file
  const isText = facts?.encoding === "utf-8"
  const hasDocument = isText && /\.(md|markdown)$/i.test(place.path) && file.next === null
  return (
    <section className="opened" aria-label={visibleText(nameOf(place.path))}>
      <header className="filebar">
        <a className="back narrow" href={backTo} aria-label={t("files.toTree")}><span aria-hidden="true">‹</span></a>
        <p className="grow">
          <code className="wrap"><Plain text={place.path} /></code>{" "}
          {facts && <span className="soft small num">{bytes(facts.size)}{facts.modified_at && <> · <Ago time={facts.modified_at} /></>}</span>}
          {facts?.is_secret && <span className="tag bad">{t("files.secret")}</span>}
        </p>
        {hasDocument && (
          <div className="segments" role="group" aria-label={t("view")}>
            <button type="button" className="quiet" aria-pressed={!isDocument} onClick={() => setDocument(false)}>{t("files.text")}</button>
            <button type="button" className="quiet" aria-pressed={isDocument} onClick={() => setDocument(true)}>{t("files.document")}</button>
          </div>
        )}
        <Save project={project} place={place} file={file} />
      </header>
      {!facts && !file.error && <Skeleton label={t("reading")} />}
      {facts && isText && (isDocument && hasDocument ? <div className="document"><Markdown text={text} /></div>
        : text === "" && file.next === null ? <p className="empty soft">{t("files.empty")}</p>
        : <Lines text={text} language={languageOfFile(place.path)} line={line} onLine={onLine} />)}
      {facts && facts.encoding === "base64" && <Binary project={project} place={place} file={file} />}
      <Refusal error={file.error} machine={project.machine} needs="files=read" again={facts ? more : again} />
      {facts && isText && <End file={file} line={line} onMore={more} onAgain={again} />}
    </section>
  )
}

function Binary({ project, place, file: { facts } }: { project: Project; place: Place; file: ReadFile }) {
  const isShown = isPicture(facts?.content ?? "") && (facts?.size ?? 0) <= mostRaw
  if (isShown) return <Picture project={project} place={place} />
  return <p className="empty soft">{t("files.binary", { size: bytes(facts?.size ?? 0) })}</p>
}

/** What comes after what is shown. */
function End({ file, line, onMore, onAgain }: { file: ReadFile; line: number; onMore: () => void; onAgain: () => void }) {
  const { facts, next, text } = file
  if (file.hasChanged) {
    return (
      <div className="row wrap rest" role="alert">
        <p className="grow warn">{t("files.changed")}</p>
        <button type="button" onClick={onAgain}>{t("files.readAnew")}</button>
      </div>
    )
  }
  const count = text.split("\n").length
  if (next === null || file.error) return line > count ? <p className="middle small warn">{t("files.noLine", { n: number(line) })}</p> : null
  return (
    <div className="row wrap rest">
      <p className="grow small soft num">{t("files.part", { n: bytes(next), of: bytes(facts?.size ?? 0) })}</p>
      <button type="button" disabled={file.isReading} onClick={onMore}>{t(file.isReading ? "reading" : "files.readOn")}</button>
    </div>
  )
}

/** Takes the file away: its path, its text, or all of its bytes. */
function Save({ project, place, file: { facts, text, next } }: { project: Project; place: Place; file: ReadFile }) {
  const [error, setError] = useState<ApiError | null>(null)
  const [isSaving, setSaving] = useState(false)
  if (!facts) return null
  const save = () => {
    setSaving(true)
    setError(null)
    readBytes(project, place).then((blob) => saveFile(new File([blob], nameOf(place.path))), (fault: unknown) => setError(asApiError(fault)))
      .finally(() => setSaving(false))
  }
  return (
    <>
      {facts.encoding === "utf-8" && next === null && <CopyButton text={text} />}
      {facts.size <= mostRaw && <button type="button" className="quiet" disabled={isSaving} onClick={save}>{t("files.save")}</button>}
      {error && <Refusal error={error} machine={project.machine} needs="files=read" again={save} />}
    </>
  )
}
