import { useCallback, useEffect, useRef, useState } from "react"
import { asApiError, type ApiError } from "../../api/errors"
import type { Hunk } from "../../lib/patch"
import { cut, visibleText } from "../../lib/visible"
import { useRecovery } from "../../live/recovery"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { Hunks } from "../diff/Hunks"
import { LayoutChoice } from "../diff/LayoutChoice"
import { Steps } from "../diff/Steps"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import type { Area } from "./address"
import type { FileActs } from "./acts"
import { fileQuery, readGit, type ChangedFile, type Patch } from "./requests"

interface Props {
  project: Project
  file: ChangedFile
  area: Area
  /** Counts up when something may have changed. */
  turn: number
  acts: FileActs | null
  backTo: string
  onStep: (step: 1 | -1) => void
}

/** What differs in one file, with what can be done to it and to each of its changes. */
export function FileDiff({ project, file, area, turn, acts, backTo, onStep }: Props) {
  const { patch, error, isReading, more, again } = usePatch(project, file, area, turn)
  const box = useRef<HTMLElement>(null)
  return (
    <section ref={box} className="opened" aria-label={visibleText(file.path)}>
      <header className="filebar">
        <a className="back narrow" href={backTo} aria-label={t("git.toStatus")}><span aria-hidden="true">‹</span></a>
        <p className="grow">
          {patch?.old_path && <><code className="wrap soft"><Plain text={patch.old_path} /></code> → </>}
          <code className="wrap"><Plain text={file.path} /></code>{" "}
          <span className="soft small">{t(`git.${area}`)}</span>
        </p>
        <LayoutChoice />
      </header>
      {acts && <div className="acts-row">{acts.file(file, area)}</div>}
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {!patch && !error && <Skeleton label={t("reading")} />}
      {patch && <Facts patch={patch} />}
      {patch && patch.diff && (
        <Hunks patch={patch.diff} path={file.path} acts={acts && patch.base && !patch.is_truncated ? (hunk: Hunk) => acts.hunk(file, area, patch, hunk) : undefined} />
      )}
      {patch?.next_offset !== undefined && (
        <div className="row wrap rest">
          <p className="grow small soft">{t("git.cut")}</p>
          <button type="button" disabled={isReading} onClick={more}>{t(isReading ? "reading" : "files.readOn")}</button>
        </div>
      )}
      <Steps area={box} onEnd={onStep} />
    </section>
  )
}

/** What a patch cannot show. */
export function Facts({ patch }: { patch: Patch }) {
  const facts = [
    patch.is_sensitive ? t("git.secret") : "", patch.is_binary ? t("git.binary") : "",
    hasNewMode(patch.old_mode, patch.new_mode) ? t("git.mode", { old: patch.old_mode ?? "", new: patch.new_mode ?? "" }) : "",
    patch.old_path && !patch.diff ? t("git.renamed", { path: cut(patch.old_path, 300) }) : "",
  ].filter(Boolean)
  if (facts.length === 0 && !patch.diff && !patch.is_truncated) facts.push(t(patch.is_new ? "git.newEmpty" : "git.same"))
  if (!patch.diff && patch.is_truncated) facts.push(t("git.tooLarge"))
  return facts.length > 0 ? <p className="small soft facts-line">{facts.map((fact) => <Plain key={fact} text={fact + " "} />)}</p> : null
}

/** A file that is new, or gone, has one mode. */
export function hasNewMode(old: string | null | undefined, fresh: string | null | undefined): boolean {
  return Boolean(old && fresh) && old !== fresh && Number(old) !== 0 && Number(fresh) !== 0
}

interface Found {
  patch: Patch | null
  error: ApiError | null
  isReading: boolean
  more: () => void
  again: () => void
}

/** The patch of a file. What is shown stays until the next one is there. */
function usePatch(project: Project, file: ChangedFile, area: Area, turn: number): Found {
  const [patch, setPatch] = useState<Patch | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isReading, setReading] = useState(false)
  const [own, setOwn] = useState(0)
  const run = useRef(0)
  const read = async (offset?: number) => {
    const current = ++run.current
    setReading(true)
    setError(null)
    try {
      const found = await readGit<Patch>(project.id, "diff", { ...fileQuery(file), staged: area === "staged" ? "true" : undefined, offset })
      if (run.current !== current) return
      setPatch((before) => offset && before ? { ...before, diff: before.diff + found.diff, next_offset: found.next_offset } : found)
    } catch (fault) {
      if (run.current === current) setError(asApiError(fault))
    }
    if (run.current === current) setReading(false)
  }
  useEffect(() => {
    void read()
    return () => {
      run.current++
    }
  }, [project.id, file.path, file.path_b64, area, turn, own])
  const again = useCallback(() => setOwn((count) => count + 1), [])
  useRecovery(error, again)
  return { patch, error, isReading, more: () => void read(patch?.next_offset), again }
}

/** `M` and the like in a word. */
export function statusWord(file: { status?: string; is_new?: boolean; is_deleted?: boolean }): string {
  return named("git.status", file.status ?? (file.is_new ? "A" : file.is_deleted ? "D" : "M"))
}

