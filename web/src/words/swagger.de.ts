import type { SwaggerWords } from "./words"

export const swaggerWords: SwaggerWords = {
  "swagger.title": "Die Schnittstelle",
  "swagger.what": "Alle Wege dieses Servers, aus seinem OpenAPI-Dokument. Eine Anfrage, die du hier sendest, ist echt.",
  "swagger.credential": "Zugang",
  "swagger.credentialMean": "Token eines Geräts oder des Betreibers, oder ein Schlüssel. Er bleibt in dieser Seite und wird mit ihr vergessen.",
  "swagger.find": "Weg suchen",
  "swagger.none": "Kein Weg hat diese Wörter.",
  "swagger.unread": "Das Dokument konnte nicht gelesen werden: {why}",
  "swagger.open": "ohne Zugang",
  "swagger.needs": "braucht {what}",
  "swagger.socket": "Ein WebSocket. Diese Seite kann ihn nicht öffnen.",
  "swagger.required": "nötig",
  "swagger.body": "Inhalt",
  "swagger.any": "nicht gesendet",
  "swagger.send": "Senden",
  "swagger.stop": "Anhalten",
  "swagger.answer": "Antwort",
  "swagger.failed": "Keine Antwort: {why}",
  "swagger.cut": "… und mehr, was nicht gezeigt wird.",
}
