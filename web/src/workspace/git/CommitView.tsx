import { useRef } from "react"
import { useLoaded } from "../../lib/load"
import { dateAndTime, number } from "../../lib/time"
import { CopyButton } from "../../parts/Code"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { LayoutChoice } from "../diff/LayoutChoice"
import { PatchList } from "../diff/PatchList"
import { Steps } from "../diff/Steps"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { Refs } from "./LogTab"
import { readGit, type Commit } from "./requests"

/** A commit: its message, who made it, and what it changed. */
export function CommitView({ project, commit, backTo }: { project: Project; commit: string; backTo: string }) {
  const { value, error, again } = useLoaded(() => readGit<Commit>(project.id, "show", { commit }), [project.id, commit])
  const box = useRef<HTMLElement>(null)
  return (
    <section ref={box} className="opened" aria-label={t("git.commitOf", { sha: commit.slice(0, 7) })}>
      <header className="filebar">
        <a className="back narrow" href={backTo} aria-label={t("git.toLog")}><span aria-hidden="true">‹</span></a>
        <p className="grow"><code>{commit.slice(0, 12)}</code> {value && <Refs refs={value.refs} />}</p>
        <LayoutChoice />
        <CopyButton text={commit} />
      </header>
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {!value && !error && <Skeleton label={t("reading")} />}
      {value && (
        <>
          <div className="commit-head">
            <h2 className="wrap"><Plain text={value.subject} /></h2>
            {bodyOf(value) && <p className="said wrap"><Plain text={bodyOf(value)} /></p>}
            <p className="soft small wrap"><Plain text={`${value.author} <${value.author_email}>`} /> · {dateAndTime(value.date)} · {t("git.files", { n: number(value.total_files) })}</p>
          </div>
          <PatchList patches={value.diffs} />
          {value.is_truncated && <p className="small warn middle">{t("git.cutCommit")}</p>}
          <Steps area={box} />
        </>
      )}
    </section>
  )
}

/** What follows the first line of the message. */
function bodyOf({ body, subject }: Commit): string {
  return (body.startsWith(subject) ? body.slice(subject.length) : body).trim()
}
