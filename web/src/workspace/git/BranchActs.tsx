import { useState } from "react"
import { visibleText } from "../../lib/visible"
import { t } from "../../words/words"
import type { Branch } from "./requests"
import type { Ask, Writer } from "./useWriter"

interface Props {
  id: string
  branch: Branch
  current: string
  targets: readonly string[]
  writer: Writer
}

/** What is done with a branch less often: merge it, let it follow a branch of a remote, delete it. */
export function BranchActs({ id, branch, current, targets, writer }: Props) {
  const name = visibleText(branch.name)
  const into = visibleText(current)
  return (
    <div id={id} className="acts-row" role="group" aria-label={t("git.moreFor", { branch: name })}>
      {!branch.is_current && (
        <button type="button" className="quiet" disabled={writer.isWriting} onClick={() => writer.ask({
          verb: "merge", body: { branch: branch.name }, title: t("git.merge.title", { branch: name, into }), means: t("git.merge.means", { into }), label: t("git.merge") })}>
          {t("git.mergeInto", { into })}
        </button>
      )}
      {!branch.is_remote && targets.length > 0 && <Follow branch={branch} targets={targets} writer={writer} />}
      {!branch.is_remote && !branch.is_current && (
        <button type="button" className="quiet bad" disabled={writer.isWriting} onClick={() => writer.ask(deletion(branch.name))}>{t("git.delete")}</button>
      )}
    </div>
  )
}

/** Commits are lost only after a second question, which comes if git refuses because of them. */
function deletion(branch: string): Ask {
  const values = { branch: visibleText(branch) }
  const forced: Ask = {
    verb: "branch/delete", body: { branch, force: true }, title: t("git.deleteForce.title", values), means: t("git.deleteForce.means", values),
    label: t("git.deleteForce"), isDanger: true, said: t("git.deleted", values),
  }
  return {
    verb: "branch/delete", body: { branch }, title: t("git.delete.title", values), means: t("git.delete.means"), label: t("git.delete"), isDanger: true,
    said: t("git.deleted", values), otherwise: { refused: /not fully merged/, ask: forced },
  }
}

function Follow({ branch, targets, writer }: { branch: Branch; targets: readonly string[]; writer: Writer }) {
  const [chosen, setChosen] = useState(() => targets.find((target) => target === branch.upstream) ?? targets.find((target) => target.endsWith("/" + branch.name)) ?? targets[0]!)
  const target = targets.includes(chosen) ? chosen : targets[0]!
  const values = { branch: visibleText(branch.name), other: visibleText(target) }
  const submit = (event: Event) => {
    event.preventDefault()
    writer.ask({
      verb: "upstream/set", body: { branch: branch.name, upstream: target }, title: t("git.follow.title", values), means: t("git.follow.means", values),
      label: t("git.follow"), said: t("git.followed", values),
    })
  }
  return (
    <form className="row follow" onSubmit={submit}>
      <select value={target} aria-label={t("git.followWhich", { branch: values.branch })} dir="ltr" onChange={(event) => setChosen(event.target.value)}>
        {targets.map((one) => <option key={one} value={one}>{visibleText(one)}</option>)}
      </select>
      <button type="submit" className="quiet" disabled={target === branch.upstream || writer.isWriting}>{t("git.follow")}</button>
    </form>
  )
}
