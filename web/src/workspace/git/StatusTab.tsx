import { go } from "../../lib/route"
import { useKeys } from "../../lib/keys"
import { useStore } from "../../lib/store"
import { Ago } from "../../parts/Age"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { fileActs } from "./acts"
import { areas, type Area, type GitAddress } from "./address"
import { discarded, dropDiscarded } from "./discarded"
import { FileDiff } from "./FileDiff"
import type { Repository } from "./useRepository"
import type { ChangedFile } from "./requests"
import { CommitForm, StatusHead } from "./StatusHead"
import { StatusList } from "./StatusList"
import type { Writer } from "./useWriter"

interface Props {
  project: Project
  address: GitAddress
  repository: Repository
  /** Absent: this device may not change anything there. */
  writer: Writer | null
  linkOf: (address: Partial<GitAddress>) => string
}

/** What has changed in the work tree, and beside it the difference of one file. */
export function StatusTab({ project, address, repository, writer, linkOf }: Props) {
  const { status, error, turn, again } = repository
  const acts = writer && fileActs(project, writer)
  const { file: wanted } = address
  const all = status ? areas.flatMap((area) => status[area].map((file) => ({ file, area }))) : []
  const at = all.findIndex((one) => one.area === wanted?.area && one.file.path === wanted.path)
  const shown = all[at]
  const link = (file: ChangedFile, area: Area) => linkOf({ file: { path: file.path, area, ...(file.path_b64 && { path_b64: file.path_b64 }) } })
  const step = (to: 1 | -1) => {
    const next = all[at + to]
    if (next) location.replace(link(next.file, next.area))
  }
  useKeys({ Escape: wanted ? () => go(linkOf({})) : undefined })
  if (!status) return error ? <Refusal error={error} machine={project.machine} needs="git=read" again={again} /> : <Skeleton label={t("reading")} />
  return (
    <div className={wanted ? "side-by open" : "side-by"}>
      <div className="finding">
        <StatusHead status={status} writer={writer} onRead={again} />
        <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
        {all.length === 0 && <p className="empty soft">{t("git.clean")}</p>}
        <StatusList status={status} shown={shown ? { path: shown.file.path, area: shown.area } : null} acts={acts} linkOf={link} />
        {writer && !status.is_bare && <CommitForm status={status} writer={writer} project={project.id} />}
        {acts && <DiscardedList project={project.id} undo={acts.undo} />}
      </div>
      {wanted && shown ? (
        <FileDiff key={`${shown.area} ${shown.file.path}`} project={project} file={shown.file} area={shown.area} turn={turn} acts={acts}
          backTo={linkOf({})} onStep={step} />
      ) : wanted ? (
        <div className="opened empty soft"><p>{t("git.gone")}</p><a href={linkOf({})}>{t("git.toStatus")}</a></div>
      ) : <p className="empty soft wide">{t("git.choose")}</p>}
    </div>
  )
}

/** What was discarded in this tab, which can be brought back for 30 days. */
function DiscardedList({ project, undo }: { project: string; undo: (handle: string, what: string) => void }) {
  const list = useStore(discarded).filter((one) => one.project === project)
  if (list.length === 0) return null
  return (
    <section className="area" aria-label={t("git.discardedTitle")}>
      <header className="row"><h2 className="grow small soft">{t("git.discardedTitle")}</h2></header>
      <ul>
        {list.map((one) => (
          <li key={one.undo} className="changed">
            <span className="grow wrap padded"><Plain text={one.what} /> <span className="soft small"><Ago time={one.at} /></span></span>
            <button type="button" className="quiet" onClick={() => undo(one.undo, one.what)}>{t("undo")}</button>
            <button type="button" className="quiet" aria-label={t("git.forget", { what: one.what })} onClick={() => dropDiscarded(one.undo)}><span aria-hidden="true">×</span></button>
          </li>
        ))}
      </ul>
    </section>
  )
}
