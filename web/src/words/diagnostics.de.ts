import type { DiagnosticWords } from "./words"

/** Was die Modelle kosten, und was nicht stimmt. */
export const diagnosticWords: DiagnosticWords = {
  "models.what": "Preise in US-Dollar für eine Million Token, aus {source}. MONITOR_PRICES ersetzt sie.",
  "models.used": "In den letzten 7 Tagen benutzt", "models.none": "Kein Modell wurde benutzt.", "models.others": "Andere, die der Server kennt",
  "models.programs": "Claude Code auf deinen Rechnern",
  "models.programsMean": "Welche Modelle es anbietet, bestimmt die Version von Claude Code. /model in einer Sitzung zeigt sie.",
  "models.noAgent": "kein Agent", "models.away": "nicht verbunden",
  "models.use": "{tokens} Token · {requests} Anfragen", "models.price": "{in} ein · {out} aus · {read} Cache lesen · {write} Cache schreiben",
  "models.unpriced": "Kein Preis ist bekannt. Seine Kosten werden nicht gezählt.",
  "models.context": "{n} Kontext", "models.output": "{n} Ausgabe", "models.on": "genutzt auf {machines}", "models.offered": "angeboten auf {machines}",
  "unread.models": "Die Modelle ließen sich nicht lesen.",

  wrong: "Was nicht stimmt", "wrong.nothing": "Nichts, was der Server sagen kann.", "wrong.unread": "Der Zustand des Servers ließ sich nicht lesen.",
  "wrong.connection": "Diese Seite ist nicht verbunden. Was sie zeigt, ist alt. Sie versucht es von selbst wieder.",
  "wrong.database": "Die Datenbank antwortet nicht. Ereignisse warten auf der Platte des Servers. Wo der Server läuft:",
  "wrong.health": "Der Server nennt sich {status}. Wo er läuft:",
  "wrong.spool": "{n} {n|Ereignis wartet|Ereignisse warten} auf der Platte des Servers auf die Datenbank. Wo der Server läuft:",
  "wrong.rejected": "Die Datenbank nahm {n} {n|Ereignis|Ereignisse} nicht an. Sie stehen in spool/rejected.ndjson auf dem Server.",
  "wrong.never": "Von {machine} wurde noch nie etwas gehört. Dort:",
  "wrong.gaps": "{n} {n|Ereignis|Ereignisse} von {machine} {n|kam|kamen} nicht an. Dort:",
  "wrong.agent": "Der Agent von {machine} ist nicht verbunden. Dort:",
  "wrong.update": "Der Agent von {machine} ist alt: der Server hat Version {version}. Dort:",
  "wrong.hooks": "Die Hooks von {machine} sind alt: Version {version}. Dort, mit dem Schlüssel des Rechners:",
  "wrong.clock": "Die Uhr von {machine} geht um {n} s falsch. Zeiten seiner Ereignisse täuschen. Dort:",
  "wrong.clockLittle": "Die Uhr von {machine} geht um {n} s falsch. Dort:",
  "wrong.prices": "Modelle ohne Preis wurden benutzt: {models}. Nenne ihre Preise, wo der Server läuft:",
  "wrong.push": "Push ist aus: niemand erfährt etwas, wenn die Seite geschlossen ist.",

  trip: "Laufzeit", "trip.server": "Dieser Browser zum Server", "trip.machine": "Zum Agenten von {machine}", "trip.ms": "{n} ms",
  "trip.measures": "misst…", "trip.again": "Noch einmal messen", "trip.noAgent": "Kein Rechner hat einen Agenten.",
  "trip.code.offline": "keine Antwort", "trip.code.agent_unavailable": "nicht verbunden", "trip.code.agent_timeout": "nicht rechtzeitig geantwortet",
  "trip.code.insufficient_scope": "dieser Browser darf ihn nicht fragen", "trip.code.rate_limited": "zu oft gefragt",
  versions: "Versionen",

  echo: "Was ein Chat täte", "echo.means": "Zeigt, was der Server für eine Nachricht ausführen würde. Nichts wird gestartet.",
  "echo.control": "Das braucht control. Der Betreiber erlaubt es dort, wo der Server läuft:", "echo.unread": "Die Projekte ließen sich nicht lesen.",
  "echo.example": "Hallo", "echo.ask": "Zeigen, was liefe", "echo.action": "Was geschähe",
  "echo.action.start": "Eine neue Sitzung beginnt", "echo.action.resume": "Die Sitzung wird wieder gestartet", "echo.action.send": "Die Nachricht geht an die Sitzung",
  "echo.connected": "verbunden", "echo.away": "nicht verbunden", "echo.answers": "Fragen",
  "echo.answerable": "Ein Gerät kann sie beantworten", "echo.unanswerable": "Kein Gerät kann sie beantworten",
  "echo.busy": "Dort läuft ein Zug. Die Nachricht würde abgelehnt.", "echo.whole": "Die ganze Antwort",
}
