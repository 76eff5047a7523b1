import { useState } from "react"
import { useLoaded } from "../../lib/load"
import { visibleText } from "../../lib/visible"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import type { GitAddress } from "./address"
import { readGit, type Branch, type Branches } from "./requests"
import type { Writer } from "./useWriter"

interface Props {
  project: Project
  turn: number
  writer: Writer | null
  linkOf: (address: Partial<GitAddress>) => string
}

/** The branches: where one is, where one can go, and a new one. */
export function BranchesTab({ project, turn, writer, linkOf }: Props) {
  const { value, error, again } = useLoaded(() => readGit<Branches>(project.id, "branches"), [project.id, turn])
  const [text, setText] = useState("")
  if (!value) return error ? <Refusal error={error} machine={project.machine} needs="git=read" again={again} /> : <Skeleton label={t("reading")} />
  const fits = (branch: Branch) => branch.name.toLowerCase().includes(text.trim().toLowerCase())
  const parts = [
    { name: t("git.localBranches"), list: value.branches.filter((branch) => !branch.is_remote && fits(branch)) },
    { name: t("git.remoteBranches"), list: value.branches.filter((branch) => branch.is_remote && fits(branch)) },
  ]
  return (
    <div className="single">
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {writer && <Create writer={writer} current={value.is_detached ? "HEAD" : value.current} />}
      {value.branches.length > 8 && (
        <input type="search" className="narrowing" value={text} aria-label={t("git.filterBranches")} placeholder={t("git.filterBranches")} spellCheck={false}
          autoCapitalize="off" onChange={(event) => setText(event.target.value)} />
      )}
      {value.branches.length === 0 && <p className="empty soft">{t("git.noBranches")}</p>}
      {parts.filter((part) => part.list.length > 0).map((part) => (
        <section key={part.name} className="area" aria-label={part.name}>
          <header className="row"><h2 className="grow small soft">{part.name} <span className="num">{part.list.length}</span></h2></header>
          <ul>
            {part.list.map((branch) => <Row key={branch.name} branch={branch} writer={writer} href={linkOf({ tab: "log", branch: branch.name })} />)}
          </ul>
        </section>
      ))}
      {value.is_truncated && <p className="small warn middle">{t("git.manyBranches")}</p>}
    </div>
  )
}

function Row({ branch, writer, href }: { branch: Branch; writer: Writer | null; href: string }) {
  const shown = visibleText(branch.name)
  return (
    <li className={branch.is_current ? "changed sel" : "changed"}>
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
      {writer && !branch.is_current && !/\/HEAD$/.test(branch.name) && (
        <button type="button" className="quiet" aria-label={t("git.switchTo", { branch: shown })} disabled={writer.isWriting} onClick={() => writer.ask({
          verb: "checkout", body: { branch: branch.name }, title: t("git.switch.title", { branch: shown }),
          means: t(branch.is_remote ? "git.switch.remote" : "git.switch.means"), label: t("git.switch"), said: t("git.switched", { branch: shown }) })}>
          {t("git.switch")}
        </button>
      )}
    </li>
  )
}

function Create({ writer, current }: { writer: Writer; current: string }) {
  const [name, setName] = useState("")
  const wanted = name.trim()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!wanted) return
    writer.ask({
      verb: "checkout", body: { branch: wanted, create: true }, title: t("git.create.title", { branch: visibleText(wanted) }),
      means: t("git.create.means", { from: visibleText(current) }), label: t("git.create"), said: t("git.switched", { branch: visibleText(wanted) }),
      done: () => setName(""),
    })
  }
  return (
    <form className="row create" onSubmit={submit}>
      <input type="text" className="grow" value={name} aria-label={t("git.newBranch")} placeholder={t("git.newBranch")} spellCheck={false} autoCapitalize="off" dir="ltr"
        maxLength={200} onChange={(event) => setName(event.target.value)} />
      <button type="submit" disabled={!wanted || writer.isWriting}>{t("git.create")}</button>
    </form>
  )
}
