import { useState } from "react"
import { useLoaded } from "../../lib/load"
import { oneLine, visibleText } from "../../lib/visible"
import { Ago } from "../../parts/Age"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import type { GitAddress } from "./address"
import { readGit, type Stash } from "./requests"
import type { Writer } from "./useWriter"

interface Props {
  project: Project
  turn: number
  writer: Writer | null
  linkOf: (address: Partial<GitAddress>) => string
}

/** Changes that were put aside, the latest first. */
export function StashTab({ project, turn, writer, linkOf }: Props) {
  const { value, error, again } = useLoaded(() => readGit<{ stashes: Stash[] }>(project.id, "stash/list"), [project.id, turn])
  return (
    <div className="single">
      {writer && <PutAside writer={writer} />}
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {!value && !error && <Skeleton label={t("reading")} />}
      {value?.stashes.length === 0 && <p className="empty soft">{t("git.noStash")}</p>}
      {value && value.stashes.length > 0 && (
        <ul className="rows stashes" aria-label={t("git.stash")}>
          {value.stashes.map((stash) => <Row key={stash.sha} stash={stash} writer={writer} href={linkOf({ tab: "log", commit: stash.sha })} />)}
        </ul>
      )}
    </div>
  )
}

function Row({ stash, writer, href }: { stash: Stash; writer: Writer | null; href: string }) {
  const name = oneLine(visibleText(stash.message), 120)
  const body = { index: stash.index }
  return (
    <li>
      <a className="plainlink" href={href}>
        <span className="wrap"><Plain text={stash.message} /></span>
        <span className="soft small under wrap"><Plain text={stash.branch} /> · <Ago time={stash.date} /></span>
      </a>
      {writer && (
        <div className="row wrap">
          <button type="button" className="quiet" aria-label={`${t("git.apply")}: ${name}`} disabled={writer.isWriting} onClick={() => writer.ask({
            verb: "stash/apply", body, title: t("git.apply.title", { name }), means: t("git.apply.means"), label: t("git.apply") })}>{t("git.apply")}</button>
          <button type="button" className="quiet" aria-label={`${t("git.pop")}: ${name}`} disabled={writer.isWriting} onClick={() => writer.ask({
            verb: "stash/pop", body, title: t("git.pop.title", { name }), means: t("git.pop.means"), label: t("git.pop") })}>{t("git.pop")}</button>
          <button type="button" className="quiet bad" aria-label={`${t("git.drop")}: ${name}`} disabled={writer.isWriting} onClick={() => writer.ask({
            verb: "stash/drop", body, title: t("git.drop.title", { name }), means: t("git.drop.means"), label: t("git.drop"), isDanger: true })}>{t("git.drop")}</button>
        </div>
      )}
    </li>
  )
}

function PutAside({ writer }: { writer: Writer }) {
  const [message, setMessage] = useState("")
  const [isWhole, setWhole] = useState(false)
  const submit = (event: Event) => {
    event.preventDefault()
    writer.ask({
      verb: "stash", body: { ...(message.trim() && { message: message.trim() }), ...(isWhole && { include_untracked: true }) },
      title: t("git.stash.title"), means: t("git.stash.means"), label: t("git.stashDo"), done: () => setMessage(""),
    })
  }
  return (
    <form className="create stack" onSubmit={submit}>
      <div className="row">
        <input type="text" className="grow" value={message} aria-label={t("git.stashMessage")} placeholder={t("git.stashMessage")} dir="auto" maxLength={1000}
          onChange={(event) => setMessage(event.target.value)} />
        <button type="submit" disabled={writer.isWriting}>{t("git.stashDo")}</button>
      </div>
      <label className="row amend"><input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} /><span className="small">{t("git.stashNew")}</span></label>
    </form>
  )
}
