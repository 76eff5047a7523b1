import { useState } from "react"
import { useLoaded } from "../lib/load"
import { visibleText } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Entry } from "../parts/Entry"
import { Mark, type MarkKind } from "../parts/Mark"
import { Fault } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { say } from "../state/toast"
import { named, t } from "../words/words"
import { readAccounts, removeAccount, type Account, type AccountPage } from "./remote"
import type { ToolServer } from "./requests"
import { Sure } from "./Sure"

const marks: Record<string, MarkKind> = { ACTIVE: "done", INITIALIZING: "work", INITIATED: "work", FAILED: "bad", EXPIRED: "wait" }

/** Whose accounts programs use at the server, by the program's key. */
export function Accounts({ server }: { server: ToolServer }) {
  const [count, setCount] = useState(1)
  const accounts = useLoaded(() => readPages(server.id, count), [server.id, count])
  const shown = accounts.value?.accounts ?? []
  const keys = [...new Set(shown.map((one) => one.api_key))]
  return (
    <section className="panel" aria-label={t("accounts")}>
      <h2>{t("accounts")}</h2>
      <p className="small soft">{t("accounts.mean")}</p>
      <Fault what={t("accounts.unread")} error={accounts.error} again={accounts.again} />
      {accounts.value && shown.length === 0 && <p className="soft">{t("accounts.none")}</p>}
      {keys.map((key) => (
        <div key={key} className="stack">
          <h3 className="wrap"><Plain text={key} /></h3>
          <ul className="rows" aria-label={visibleText(key)}>
            {shown.filter((one) => one.api_key === key).map((one) => <Row key={one.id} account={one} again={accounts.again} />)}
          </ul>
        </div>
      ))}
      {accounts.value?.next && <button type="button" className="quiet" onClick={() => setCount(count + 1)}>{t("more")}</button>}
    </section>
  )
}

async function readPages(server: string, count: number): Promise<AccountPage> {
  const all: Account[] = []
  let next: string | null = null
  for (let page = 0; page < count; page += 1) {
    const found: AccountPage = await readAccounts(server, next)
    all.push(...found.accounts)
    next = found.next
    if (!next) break
  }
  return { accounts: all, next }
}

function Row({ account, again }: { account: Account; again: () => void }) {
  const user = visibleText(account.user_id)
  const remove = () => removeAccount(account.id).then((done) => {
    say(t(done.revoked ? "accounts.removed" : "accounts.unconfirmed", { name: user }))
    again()
  })
  return (
    <Entry
      name={<span className="row wrap"><Mark kind={marks[account.status] ?? "idle"} /><b><Plain text={account.user_id} /></b>
        {account.alias && <span className="tag"><Plain text={account.alias} /></span>}</span>}
      facts={<>{named("accounts.status", account.status)}{account.reason && <> · {named("remote.reason", account.reason)}</>} · <Ago time={account.updated_at} /></>}
      acts={account.status !== "REVOKED" && (
        <Sure label={t("accounts.remove")} title={t("accounts.removeTitle", { name: user })} means={t("accounts.removeMeans")} onConfirm={remove} />
      )} />
  )
}
