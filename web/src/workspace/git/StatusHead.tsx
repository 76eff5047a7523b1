import { useState } from "react"
import { visibleText } from "../../lib/visible"
import { Plain } from "../../parts/Plain"
import { t } from "../../words/words"
import type { Status } from "./requests"
import type { Writer } from "./useWriter"

interface Props {
  status: Status
  writer: Writer | null
  onRead: () => void
}

/** The branch, how far it is from what it follows, and what brings the two together. */
export function StatusHead({ status, writer, onRead }: Props) {
  const branch = visibleText(status.is_detached ? t("git.detached", { sha: status.head.slice(0, 7) }) : status.branch)
  return (
    <div className="branchline">
      <p className="grow">
        <b className="wrap"><Plain text={status.is_detached ? branch : status.branch} /></b>{" "}
        <span className="soft small wrap"><Plain text={status.upstream ? `→ ${status.upstream}` : t("git.noUpstream")} /></span>{" "}
        {status.ahead > 0 && <span className="tag num">{t("git.ahead", { n: status.ahead })}</span>}
        {status.behind > 0 && <span className="tag num">{t("git.behind", { n: status.behind })}</span>}
        {status.operation && <span className="tag bad">{t("git.during", { what: status.operation })}</span>}
      </p>
      <div className="row wrap sync">
        {writer && status.operation === "merge" && (
          <button type="button" className="quiet bad" onClick={() => writer.ask({
            verb: "merge/abort", body: {}, title: t("git.abort.title"), means: t("git.abort.means"), label: t("git.abort"), isDanger: true })}>{t("git.abort")}</button>
        )}
        {writer && status.remotes.length > 0 && <Sync status={status} writer={writer} branch={branch} />}
        <button type="button" className="quiet" onClick={onRead}>{t("git.readAnew")}</button>
      </div>
    </div>
  )
}

function Sync({ status, writer, branch }: { status: Status; writer: Writer; branch: string }) {
  const other = visibleText(status.upstream || status.remotes[0] || "")
  return (
    <>
      <button type="button" className="quiet" onClick={() => writer.ask({ verb: "fetch", body: {}, title: t("git.fetch.title"), means: t("git.fetch.means"), label: t("git.fetch") })}>
        {t("git.fetch")}
      </button>
      {status.upstream && (
        <button type="button" className="quiet" onClick={() => writer.ask({
          verb: "pull", body: {}, title: t("git.pull.title", { branch, other }), means: t("git.pull.means"), label: t("git.pull") })}>{t("git.pull")}</button>
      )}
      {!status.is_detached && status.has_commits && (
        <button type="button" className="quiet" onClick={() => writer.ask({
          verb: "push", body: status.upstream ? {} : { set_upstream: true }, title: t("git.push.title", { branch, other }), means: t("git.push.means"), label: t("git.push"), needs: "git=push" })}>
          {t("git.push")}
        </button>
      )}
    </>
  )
}

/** The message of a commit of what is staged. What was typed stays until it is committed. */
export function CommitForm({ status, writer, project }: { status: Status; writer: Writer; project: string }) {
  const [message, setMessage] = useState(() => sessionStorage.getItem(keyOf(project)) ?? "")
  const [isAmend, setAmend] = useState(false)
  const write = (text: string) => {
    setMessage(text)
    if (text) sessionStorage.setItem(keyOf(project), text)
    else sessionStorage.removeItem(keyOf(project))
  }
  const count = status.staged.length
  const submit = (event: Event) => {
    event.preventDefault()
    writer.ask({
      verb: "commit", body: { message: message.trim(), ...(isAmend && { amend: true }) },
      title: isAmend ? t("git.amend.title") : t("git.commit.title", { n: count, branch: visibleText(status.branch) }),
      means: message.trim().split("\n")[0] ?? "", label: t(isAmend ? "git.amendDo" : "git.commit"),
      done: () => {
        write("")
        setAmend(false)
      },
    })
  }
  return (
    <form className="commit stack" onSubmit={submit}>
      <label className="field"><span className="hear">{t("git.message")}</span>
        <textarea rows={2} value={message} placeholder={t("git.message")} dir="auto" onChange={(event) => write(event.target.value)} />
      </label>
      <div className="row wrap">
        <button type="submit" className="yes" disabled={!message.trim() || (count === 0 && !isAmend) || writer.isWriting}>
          {count > 0 ? t("git.commitN", { n: count }) : t("git.commit")}
        </button>
        {status.has_commits && (
          <label className="row grow amend"><input type="checkbox" checked={isAmend} onChange={(event) => setAmend(event.target.checked)} /><span className="small">{t("git.amend")}</span></label>
        )}
      </div>
      {count === 0 && <p className="small soft">{t("git.nothingStaged")}</p>}
    </form>
  )
}

function keyOf(project: string): string {
  return "monitor.commit " + project
}
