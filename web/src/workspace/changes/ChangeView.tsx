import { useEffect, useMemo, useRef } from "react"
import { visibleText } from "../../lib/visible"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { Hunks } from "../diff/Hunks"
import { LayoutChoice } from "../diff/LayoutChoice"
import { Steps } from "../diff/Steps"
import { showLine } from "../diff/stepChange"
import { hasNewMode } from "../git/FileDiff"
import { Refusal } from "../Refusal"
import type { SessionFile } from "./requests"
import { useChange } from "./useChanges"

interface Props {
  session: string
  machine: string
  wanted: { path: string; path_b64?: string }
  /** Of the file as it is now: the change there is shown first. */
  line: number
  turn: number
  backTo: string
  /** The file in Files, where it is still there. */
  fileLink: string | null
  onStep: (step: 1 | -1) => void
}

/** What a session has changed in one file. */
export function ChangeView({ session, machine, wanted, line, turn, backTo, fileLink, onStep }: Props) {
  const { file, isGone, error, isReading, more, again } = useChange(session, wanted, turn)
  const box = useRef<HTMLElement>(null)
  const patch = useMemo(() => patchOf(file?.hunks ?? []), [file])
  const isShown = patch !== ""
  useEffect(() => {
    if (isShown && line > 0) showLine(box.current, line)
  }, [isShown, line])
  return (
    <section ref={box} className="opened" aria-label={visibleText(wanted.path)}>
      <header className="filebar">
        <a className="back narrow" href={backTo} aria-label={t("changes.toList")}><span aria-hidden="true">‹</span></a>
        <p className="grow">
          {file?.old_path && <><code className="wrap soft"><Plain text={file.old_path} /></code> → </>}
          <code className="wrap"><Plain text={wanted.path} /></code>{" "}
          {file && <span className="soft small">{named("changes.status", file.status)} · {t(`changes.by.${file.by}`)}</span>}
        </p>
        {fileLink && file && file.status !== "deleted" && <a className="button quiet small" href={fileLink}>{t("changes.open")}</a>}
        <LayoutChoice />
      </header>
      <Refusal error={error} machine={machine} needs="git=read" again={again} />
      {!file && !error && !isGone && <Skeleton label={t("reading")} />}
      {isGone && <p className="empty soft">{t("changes.gone")}</p>}
      {file && factsOf(file).map((fact) => <p key={fact} className="small soft facts-line">{fact}</p>)}
      {isShown && <Hunks patch={patch} path={wanted.path} />}
      {file && typeof file.next_offset === "number" && (
        <div className="row wrap rest">
          <p className="grow small soft">{t("git.cut")}</p>
          <button type="button" disabled={isReading} onClick={more}>{t(isReading ? "reading" : "files.readOn")}</button>
        </div>
      )}
      <Steps area={box} onEnd={onStep} />
    </section>
  )
}

/** Each hunk ends with a line feed, also where one was cut. */
function patchOf(hunks: readonly string[]): string {
  return hunks.map((hunk) => hunk.endsWith("\n") ? hunk : hunk + "\n").join("")
}

function factsOf(file: SessionFile): string[] {
  const facts = [
    file.is_sensitive ? t("git.secret") : "", file.binary ? t("git.binary") : "", file.is_unsaved ? t("changes.unsaved") : "",
    file.is_submodule ? t("changes.submodule") : "", hasNewMode(file.old_mode, file.new_mode) ? t("git.mode", { old: file.old_mode ?? "", new: file.new_mode ?? "" }) : "",
  ].filter(Boolean)
  return facts.length > 0 || (file.hunks ?? []).length > 0 ? facts : [t(file.status === "renamed" ? "changes.onlyRenamed" : "git.newEmpty")]
}
