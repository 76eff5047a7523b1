import { Plain } from "../../parts/Plain"
import { named, t } from "../../words/words"
import { areas, type Area } from "./address"
import type { FileActs } from "./acts"
import type { ChangedFile, Status } from "./requests"

interface Props {
  status: Status
  shown: { path: string; area: Area } | null
  acts: FileActs | null
  linkOf: (file: ChangedFile, area: Area) => string
}

/** The changed files: what is in conflict, staged, not staged and new. */
export function StatusList({ status, shown, acts, linkOf }: Props) {
  return (
    <>
      {areas.filter((area) => status[area].length > 0).map((area) => (
        <section key={area} aria-label={t(`git.${area}`)} className="area">
          <header className="row">
            <h2 className="grow small soft">{t(`git.${area}`)} <span className="num">{status[area].length}</span></h2>
            {acts && area === "staged" && <button type="button" className="quiet" disabled={acts.isOff} onClick={() => acts.unstage(status.staged)}>{t("git.unstageAll")}</button>}
            {acts && (area === "unstaged" || area === "untracked") && (
              <button type="button" className="quiet" disabled={acts.isOff} onClick={() => acts.stage(status[area])}>{t("git.stageAll")}</button>
            )}
          </header>
          <ul>
            {status[area].map((file) => (
              <FileRow key={file.path_b64 ?? file.path} file={file} area={area} acts={acts} href={linkOf(file, area)}
                isShown={shown?.area === area && shown.path === file.path} />
            ))}
          </ul>
        </section>
      ))}
      {status.is_truncated && <p className="small warn middle">{t("git.manyFiles")}</p>}
    </>
  )
}

function FileRow({ file, area, acts, href, isShown }: { file: ChangedFile; area: Area; acts: FileActs | null; href: string; isShown: boolean }) {
  const at = file.path.replace(/\/$/, "").lastIndexOf("/")
  const word = file.conflict ? named("git.conflict", file.conflict) : named("git.status", file.status)
  return (
    <li className={isShown ? "changed sel" : "changed"}>
      <a href={href} aria-current={isShown ? "true" : undefined} className="grow">
        <b className={"letter s" + letterOf(file, area)} aria-hidden="true">{letterOf(file, area)}</b>
        <span className="grow">
          <span className="wrap"><Plain text={file.path.slice(at + 1)} /></span>
          <span className="soft small wrap under"><Plain text={[file.path.slice(0, Math.max(0, at)), file.old_path ? `← ${file.old_path}` : ""].filter(Boolean).join(" ")} /></span>
        </span>
        <span className="hear">, {word}</span>
        {file.is_sensitive && <span className="tag bad">{t("files.secret")}</span>}
        <Counts added={file.additions} removed={file.deletions} />
      </a>
      {acts && <span className="row quick">{acts.file(file, area)}</span>}
    </li>
  )
}

export function Counts({ added = 0, removed = 0 }: { added?: number; removed?: number }) {
  if (added + removed === 0) return null
  return <span className="small num counts">{added > 0 && <span className="plus">+{added}</span>} {removed > 0 && <span className="minus">−{removed}</span>}</span>
}

function letterOf(file: ChangedFile, area: Area): string {
  return area === "conflicted" ? "!" : area === "untracked" ? "A" : file.status.slice(0, 1)
}
