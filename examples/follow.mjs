// Lists the sessions of a monitor server, then prints its events as they are committed, as server-sent events.
//
//     MONITOR_URL=http://127.0.0.1:8766 MONITOR_TOKEN=... node examples/follow.mjs [EPOCH:SEQ]
//
// EPOCH:SEQ is the last position that an earlier run printed; the program then continues after that event. Needs Node.js 18.
// `Monitor` works in a browser too: it uses nothing but fetch. EventSource does not fit, since it cannot send a credential.

/** The server answers that a retry does not help. */
class Refused extends Error {}

export class Monitor {
  constructor(url, token) {
    this.url = url
    this.token = token
  }

  async get(path, options = {}) {
    const headers = { authorization: `Bearer ${this.token}`, ...options.headers }
    const answer = await fetch(this.url + path, { ...options, headers })
    if ([400, 401, 403].includes(answer.status)) throw new Refused(`the server answers ${answer.status}`)
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`)
    return answer
  }

  async sessions() {
    return (await (await this.get("/v1/sessions?limit=50")).json()).sessions
  }

  /** The position of the newest event. */
  async head() {
    const { meta } = await (await this.get("/v1/events?limit=1&order=desc")).json()
    return `${meta.epoch}:${meta.head}`
  }

  /** Yields `{id, type, data}` for each event after `place`, over one connection, until it ends. */
  async *stream(place) {
    const abort = new AbortController()
    // A comment comes every 20 s; a connection without them is dead.
    let silence
    const heard = () => {
      clearTimeout(silence)
      silence = setTimeout(() => abort.abort(), 45_000)
    }
    heard()
    try {
      const headers = { accept: "text/event-stream", "last-event-id": place }
      const answer = await this.get("/v1/events", { headers, signal: abort.signal })
      const decoder = new TextDecoder()
      let text = ""
      for (const reader = answer.body.getReader(); ; ) {
        const { value, done } = await reader.read()
        if (done) return
        heard()
        text += decoder.decode(value, { stream: true })
        const messages = text.split("\n\n")
        text = messages.pop()
        for (const message of messages) {
          const fields = {}
          for (const line of message.split("\n")) {
            const [, name, content] = line.match(/^([^:]*):? ?(.*)$/)
            fields[name] = content
          }
          if (fields.data !== undefined) yield { id: fields.id, type: fields.event, data: JSON.parse(fields.data) }
        }
      }
    } finally {
      clearTimeout(silence)
      abort.abort()
    }
  }

  /** Calls `onSessions` with the sessions, first and after a reset, and `onEvent` with each event. Ends only by an error. */
  async follow(place, onSessions, onEvent) {
    // The position is read before the sessions. So an event in between is shown twice, but none is missed.
    place ||= await this.head()
    onSessions(await this.sessions())
    for (;;) {
      try {
        for await (const { id, type, data } of this.stream(place)) {
          place = id ?? place
          if (type === "reset") onSessions(await this.sessions(), true)
          else onEvent(data)
        }
      } catch (error) {
        if (error instanceof Refused) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  }
}

function printSessions(sessions, isReset) {
  if (isReset) console.log("reset")
  for (const session of sessions) console.log("session", session.id, session.state, session.title ?? "")
}

function printEvent(event) {
  console.log(`${event.epoch}:${event.seq}`, event.type, event.session_id ?? "-", event.summary ?? "")
}

if (typeof process !== "undefined" && process.argv[1]?.endsWith("follow.mjs")) {
  const token = process.env.MONITOR_TOKEN
  if (!token) {
    console.error("set MONITOR_TOKEN to the admin token or to the access token of a device")
    process.exit(1)
  }
  const monitor = new Monitor(process.env.MONITOR_URL ?? "http://127.0.0.1:8766", token)
  monitor.follow(process.argv[2], printSessions, printEvent).catch((error) => {
    console.error(`follow.mjs: ${error.message}`)
    process.exit(1)
  })
}
