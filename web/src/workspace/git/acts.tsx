import type { ReactNode } from "react"
import { firstChange } from "../../lib/firstChange"
import type { Hunk } from "../../lib/patch"
import { oneLine, visibleText } from "../../lib/visible"
import { say } from "../../state/toast"
import { t } from "../../words/words"
import type { Project } from "../useProject"
import type { Area } from "./address"
import { dropDiscarded, noteDiscarded } from "./discarded"
import { fileQuery, filesBody, type ChangedFile, type Patch } from "./requests"
import type { Writer } from "./useWriter"

/** The buttons of files and of their changes. */
export interface FileActs {
  /** A command is under way. */
  isOff: boolean
  file: (file: ChangedFile, area: Area) => ReactNode
  hunk: (file: ChangedFile, area: Area, patch: Patch, hunk: Hunk) => ReactNode
  stage: (files: readonly ChangedFile[]) => void
  unstage: (files: readonly ChangedFile[]) => void
  discard: (files: readonly ChangedFile[]) => void
  undo: (undo: string, what: string) => void
}

const nameOf = (file: ChangedFile) => oneLine(visibleText(file.path), 120)
const what = (files: readonly ChangedFile[]) => files.length === 1 ? nameOf(files[0]!) : t("git.files", { n: files.length })

export function fileActs(project: Project, { ask, isWriting }: Writer): FileActs {
  const undo = (handle: string, name: string) => ask({
    verb: "undo", body: { undo: handle }, title: t("git.undo.title", { what: name }), means: t("git.undo.means"), label: t("undo"),
    said: t("git.undone", { what: name }), done: () => dropDiscarded(handle),
  })
  const discard = (name: string, body: Record<string, unknown>, isNew: boolean) => ask({
    verb: "discard", body, title: t("git.discard.title", { what: name }), means: t(isNew ? "git.discard.new" : "git.discard.means"),
    label: t("git.discard"), isDanger: true,
    done: (answer) => {
      if (!answer.undo) return
      noteDiscarded({ project: project.id, undo: answer.undo, what: name, at: new Date().toISOString() })
      const handle = answer.undo
      // The toast replaces the dialog's line, so it comes after it.
      window.setTimeout(() => say(t("git.discarded", { what: name }), () => undo(handle, name)))
    },
  })
  const stage = (name: string, body: Record<string, unknown>) =>
    ask({ verb: "stage", body, title: t("git.stage.title", { what: name }), label: t("git.stage"), isSlight: true, said: t("git.stagedSaid", { what: name }) })
  const unstage = (name: string, body: Record<string, unknown>) =>
    ask({ verb: "unstage", body, title: t("git.unstage.title", { what: name }), label: t("git.unstage"), isSlight: true, said: t("git.unstagedSaid", { what: name }) })
  const hunkBody = (file: ChangedFile, patch: Patch, hunk: Hunk) =>
    ({ ...fileQuery(file), base: patch.base, ...(patch.target && { target: patch.target }), hunks: [rangeOf(hunk.heading)] })
  return {
    isOff: isWriting,
    undo,
    stage: (files) => stage(what(files), filesBody(files)),
    unstage: (files) => unstage(what(files), filesBody(files)),
    discard: (files) => discard(what(files), filesBody(files), files.every((file) => file.status === "?")),
    file: (file, area) => (
      <>
        {area === "staged" ? <Act label={t("git.unstage")} name={nameOf(file)} isOff={isWriting} act={() => unstage(nameOf(file), filesBody([file]))} />
          : <Act label={t(area === "conflicted" ? "git.resolved" : "git.stage")} name={nameOf(file)} isOff={isWriting} act={() => stage(nameOf(file), filesBody([file]))} />}
        {(area === "unstaged" || area === "untracked") && (
          <Act label={t("git.discard")} name={nameOf(file)} isOff={isWriting} isBad act={() => discard(nameOf(file), filesBody([file]), area === "untracked")} />
        )}
      </>
    ),
    hunk: (file, area, patch, hunk) => {
      const name = t("git.lines", { file: nameOf(file), line: firstChange(hunk.lines) ?? hunk.start })
      const body = hunkBody(file, patch, hunk)
      if (area === "staged") return <Act label={t("git.unstage")} name={name} isOff={isWriting} act={() => unstage(name, body)} />
      if (area !== "unstaged") return null
      return (
        <>
          <Act label={t("git.stage")} name={name} isOff={isWriting} act={() => stage(name, body)} />
          <Act label={t("git.discard")} name={name} isOff={isWriting} isBad act={() => discard(name, body, false)} />
        </>
      )
    },
  }
}

/** `@@ -1,3 +1,4 @@`, by which the server knows a change. */
export function rangeOf(heading: string): string {
  return /^@@+ .*? @@+/.exec(heading)?.[0] ?? heading
}

function Act({ label, name, act, isOff, isBad = false }: { label: string; name: string; act: () => void; isOff: boolean; isBad?: boolean }) {
  return <button type="button" className={isBad ? "quiet bad" : "quiet"} aria-label={`${label}: ${name}`} disabled={isOff} onClick={act}>{label}</button>
}
