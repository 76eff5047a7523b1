import type { ProjectWords } from "./words"

/** Die Liste der Projekte, und eines davon. */
export const projectWords: ProjectWords = {
  project: "Projekt", "project.new": "Neues Projekt", "project.filter": "Projekt finden", "project.back": "Zurück zu den Projekten",
  "project.none": "Noch keine Projekte. Die erste Sitzung in einem Verzeichnis macht es zum Projekt.", "project.noneFits": "Kein Projekt passt.",
  "project.waits": "{n} {n|wartet|warten} auf dich", "project.week": "{cost} in 7 Tagen", "project.active": "{n} aktiv",
  "project.tokens": "{n} Token in 7 Tagen", "project.more": "Mehr zeigen", "project.nowhere": "noch auf keinem Rechner",
  "project.gone": "Dieses Projekt gibt es nicht, oder es ist gelöscht.",
  "project.weekCost": "Kosten, 7 Tage", "project.weekTokens": "Token, 7 Tage", "project.waiting": "Warten auf dich",
  "project.noSessions": "Hier ist noch keine Sitzung gelaufen.",
  "project.name": "Name des Projekts", "project.description": "Beschreibung", "project.model": "Übliches Modell",
  "project.modelMeans": "Neue Sitzungen, die diese Seite im Projekt beginnt, bekommen dieses Modell, wenn du kein anderes wählst.",
  "project.noMachine": "Keiner", "project.make": "Anlegen",
  "project.byItself": "Ein Verzeichnis wird durch seine erste Sitzung zum Projekt. Hier legst du schon vorher eines an.",
  "project.push": "Benachrichtigungen dieses Projekts",
  "project.delete": "Löschen…", "project.delete.title": "Projekt {name} löschen?",
  "project.delete.means": "Löschen nimmt es aus der Liste. Seine Sitzungen, Ereignisse und Kosten bleiben, ebenso die Dateien auf seinem Rechner. Mit seinem nächsten Ereignis kommt es zurück.",
  "project.delete.do": "Löschen", "project.deleted": "Gelöscht: {name}",
  "project.erase.title": "Auch tilgen, was darin gesagt wurde?",
  "project.erase.means": "Tilgen entfernt seine Sitzungen ({n}) mit ihren Ereignissen, Nachrichten, Transkripten und Kosten endgültig vom Server. Die Dateien auf seinem Rechner bleiben.",
  "project.erase.sure": "Ich weiß, dass sich das nicht rückgängig machen lässt.", "project.erased": "Getilgt: {name}",
  "unread.projects": "Die Projekte ließen sich nicht lesen.", "unread.project": "Das Projekt ließ sich nicht lesen.",
}
