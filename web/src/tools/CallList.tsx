import { useEffect, useState } from "react"
import { asApiError, type ApiError } from "../api/errors"
import { useLoaded } from "../lib/load"
import { useStore } from "../lib/store"
import { took } from "../lib/time"
import { oneLine } from "../lib/visible"
import { Ago } from "../parts/Age"
import { Mark } from "../parts/Mark"
import { Fault, Skeleton } from "../parts/Notice"
import { Plain } from "../parts/Plain"
import { myDevice } from "../state/me"
import { t } from "../words/words"
import { callerOf, markOfCall, stateOfCall } from "./callState"
import { isOpen, readCalls, type CallsAsked, type ListedCall } from "./toolCalls"

const pauseMilliseconds = 5_000

/** Calls of tools, the latest first, with who asked for them and who approved them. Read again while one of them is open. */
export function CallList(asked: CallsAsked) {
  const { machine, session, status } = asked
  const first = useLoaded(() => readCalls(asked), [machine, session, status])
  const [older, setOlder] = useState<readonly ListedCall[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const [error, setError] = useState<ApiError | null>(null)
  const newest = first.value?.calls
  useEffect(() => {
    if (!newest?.some(isOpen)) return
    const timer = window.setTimeout(first.again, pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [newest])
  const next = cursor === undefined ? first.value?.next : cursor
  const more = () => {
    setError(null)
    readCalls(asked, next).then((page) => {
      setOlder((all) => [...all, ...page.calls])
      setCursor(page.next)
    }, (fault: unknown) => setError(asApiError(fault)))
  }
  // A call that has moved to the next page is in both.
  const calls = [...new Map([...older, ...(newest ?? [])].map((one) => [one.call_id, one])).values()]
    .sort((one, other) => other.created_at.localeCompare(one.created_at))
  return (
    <>
      <Fault what={t("unread.calls")} error={first.error} again={first.again} />
      {!first.value && !first.error && <Skeleton label={t("reading")} />}
      {first.value && calls.length === 0 && <p className="note soft">{t("calls.none")}</p>}
      <ul className="results" aria-label={t("calls")}>{calls.map((one) => <CallRow key={one.call_id} call={one} isOfSession={session !== undefined} />)}</ul>
      <Fault what={t("unread.calls")} error={error} again={more} />
      {next && <button type="button" className="quiet extra" onClick={more}>{t("more")}</button>}
    </>
  )
}

function CallRow({ call, isOfSession }: { call: ListedCall; isOfSession: boolean }) {
  const own = useStore(myDevice)
  const who = t("calls.by", { who: callerOf(call.caller, own, call.caller_name) })
  const parts = [
    stateOfCall(call), call.duration_ms === undefined ? "" : took(call.duration_ms),
    call.approved_by ? t("try.approved", { who: callerOf(call.approved_by, own) }) : "",
  ]
  return (
    <li>
      <div className="item">
        <span className="name clip"><Plain text={call.tool} isCommand /></span>
        <span className="soft num small"><Ago time={call.created_at} /></span>
        <span className="where clip"><Plain text={isOfSession ? who : `${call.machine_id} · ${who}`} /></span>
        <span className="what small row">
          <Mark kind={markOfCall(call)} />
          <span className="grow wrap">
            <Plain text={parts.filter(Boolean).join(" · ")} />
            {call.error?.message && <> · <Plain text={oneLine(call.error.message, 200)} /></>}
          </span>
          {call.prompt_id && <a href={`#/p/${encodeURIComponent(call.prompt_id)}`}>{t("calls.approval")}</a>}
          {!isOfSession && !call.prompt_id && call.session_id && <a href={`#/s/${encodeURIComponent(call.session_id)}`}>{t("calls.session")}</a>}
        </span>
      </div>
    </li>
  )
}
