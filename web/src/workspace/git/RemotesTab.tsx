import { useState } from "react"
import { useLoaded } from "../../lib/load"
import { visibleText } from "../../lib/visible"
import { Skeleton } from "../../parts/Notice"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import { Refusal } from "../Refusal"
import type { Project } from "../useProject"
import { readGit, type Remote } from "./requests"
import type { Writer } from "./useWriter"

interface Props {
  project: Project
  turn: number
  writer: Writer | null
}

/** The repositories elsewhere, from which one fetches and to which one pushes. */
export function RemotesTab({ project, turn, writer }: Props) {
  const { value, error, again } = useLoaded(() => readGit<{ remotes: Remote[] }>(project.id, "remote/list"), [project.id, turn])
  return (
    <div className="single">
      {writer && <Add writer={writer} />}
      <Refusal error={error} machine={project.machine} needs="git=read" again={again} />
      {!value && !error && <Skeleton label={t("reading")} />}
      {value?.remotes.length === 0 && <p className="empty soft">{t("git.noRemotes")}</p>}
      {value && value.remotes.length > 0 && (
        <ul className="rows stashes" aria-label={t("git.tab.remotes")}>
          {value.remotes.map((remote) => <Row key={remote.name} remote={remote} writer={writer} />)}
        </ul>
      )}
    </div>
  )
}

function Row({ remote, writer }: { remote: Remote; writer: Writer | null }) {
  const values = { remote: visibleText(remote.name) }
  const count = remote.tracking_branches.length
  return (
    <li>
      <p className="plainlink">
        <span className="wrap"><b><Plain text={remote.name} /></b> {count > 0 && <span className="soft small num">{t("git.branches", { n: count })}</span>}</span>
        <span className="soft small wrap under"><Plain text={remote.fetch_url} isCommand /></span>
        {remote.push_url !== remote.fetch_url && <span className="soft small wrap under">{t("git.pushesTo")} <Plain text={remote.push_url} isCommand /></span>}
      </p>
      {writer && (
        <div className="row wrap">
          <button type="button" className="quiet" aria-label={t("git.fetchFrom", values)} disabled={writer.isWriting} onClick={() => writer.ask({
            verb: "fetch", body: { remote: remote.name }, title: t("git.fetchFrom.title", values), means: t("git.fetch.means"), label: t("git.fetch") })}>{t("git.fetch")}</button>
          <button type="button" className="quiet bad" aria-label={t("git.removeThe", values)} disabled={writer.isWriting} onClick={() => writer.ask({
            verb: "remote/remove", body: { name: remote.name }, title: t("git.remove.title", values), means: t("git.remove.means"), label: t("git.remove"), isDanger: true })}>
            {t("git.remove")}
          </button>
        </div>
      )}
    </li>
  )
}

function Add({ writer }: { writer: Writer }) {
  const [name, setName] = useState("")
  const [address, setAddress] = useState("")
  const [fetches, setFetches] = useState(true)
  const [wanted, url] = [name.trim(), address.trim()]
  const submit = (event: Event) => {
    event.preventDefault()
    if (!wanted || !url) return
    writer.ask({
      verb: "remote/add", body: { name: wanted, url, ...(fetches && { fetch: true }) }, title: t("git.add.title", { remote: visibleText(wanted) }),
      means: t("git.add.means", { url: visibleText(url) }), label: t("git.add"),
      done: () => {
        setName("")
        setAddress("")
      },
    })
  }
  return (
    <form className="create stack" onSubmit={submit}>
      <div className="row wrap remote-fields">
        <input type="text" value={name} aria-label={t("git.remoteName")} placeholder={t("git.remoteName")} spellCheck={false} autoCapitalize="off" dir="ltr"
          maxLength={200} onChange={(event) => setName(event.target.value)} />
        <input type="text" inputMode="url" className="grow" value={address} aria-label={t("git.remoteAddress")} placeholder="https://example.com/shop.git" spellCheck={false}
          autoCapitalize="off" dir="ltr" maxLength={4096} onChange={(event) => setAddress(event.target.value)} />
        <button type="submit" disabled={!wanted || !url || writer.isWriting}>{t("git.add")}</button>
      </div>
      <label className="row amend"><input type="checkbox" checked={fetches} onChange={(event) => setFetches(event.target.checked)} /><span className="small">{t("git.addFetch")}</span></label>
    </form>
  )
}
