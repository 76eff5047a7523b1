import { useId, useState } from "react"
import { visibleText } from "../../lib/visible"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { BranchActs } from "./BranchActs"
import type { Branch } from "./requests"
import type { Writer } from "./useWriter"

interface Props {
  branch: Branch
  /** The branch that is checked out; `HEAD`: none. */
  current: string
  /** The branches of remotes, which a branch can follow. */
  targets: readonly string[]
  writer: Writer | null
  href: string
}

/** A branch, and what can be done with it. */
export function BranchRow({ branch, current, targets, writer, href }: Props) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const shown = visibleText(branch.name)
  // A remote's HEAD is the name of another branch.
  const own = /^[^/]+\/HEAD$/.test(branch.name) && branch.is_remote ? null : writer
  return (
    <li className={branch.is_current ? "changed branch sel" : "changed branch"}>
      <a href={href} className="grow" title={t("git.showLog")}>
        <i className={branch.is_current ? "mark work" : "mark idle"} aria-hidden="true" />
        <span className="grow">
          <span className="wrap"><Plain text={branch.name} /></span>
          {branch.is_current && <span className="hear">, {t("git.current")}</span>}
          {branch.upstream && <span className="soft small wrap under"><Plain text={`→ ${branch.upstream}`} />{branch.is_gone && ` (${t("git.upstreamGone")})`}</span>}
        </span>
        {(branch.ahead ?? 0) > 0 && <span className="tag num">{t("git.ahead", { n: branch.ahead ?? 0 })}</span>}
        {(branch.behind ?? 0) > 0 && <span className="tag num">{t("git.behind", { n: branch.behind ?? 0 })}</span>}
      </a>
      {own && !branch.is_current && (
        <button type="button" className="quiet" aria-label={t("git.switchTo", { branch: shown })} disabled={own.isWriting} onClick={() => own.ask({
          verb: "checkout", body: { branch: branch.name }, title: t("git.switch.title", { branch: shown }),
          means: t(branch.is_remote ? "git.switch.remote" : "git.switch.means"), label: t("git.switch"), said: t("git.switched", { branch: shown }) })}>
          {t("git.switch")}
        </button>
      )}
      {own && (!branch.is_current || targets.length > 0) && (
        <button type="button" className="quiet" aria-label={t("git.moreFor", { branch: shown })} aria-expanded={isOpen} aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}><span aria-hidden="true">⋯</span></button>
      )}
      {own && isOpen && <BranchActs id={id} branch={branch} current={current} targets={targets} writer={own} />}
    </li>
  )
}
