import API
import APISamples
import DatabaseSamples
import Foundation
import JSON
import NotesExample
import Persistence
import Testing

/// The feature of docs/adding-a-feature.md.
@Suite("The documented feature")
struct NotesExampleTests {
    private func withNotes() throws -> (TestStore, Feature) {
        let store = try TestStore()
        // What the migration of the document contains.
        try store.database.execute("CREATE TABLE notes (id text PRIMARY KEY, body text NOT NULL)")
        return (store, Feature.notes(store))
    }

    @Test("a note is written, replaced and read")
    func writes() async throws {
        let (store, feature) = try withNotes()
        #expect(try await feature.routes.get("/v1/sessions/s1/note").status == 404)
        for text in ["first", "second"] {
            let written = try await feature.routes.ask(.put, "/v1/sessions/s1/note", body: #"{"text":"\#(text)"}"#)
            #expect(written.status == 200)
            #expect(try await feature.routes.get("/v1/sessions/s1/note").body["text"] == .string(text))
        }
        let refused = try await feature.routes.ask(.put, "/v1/sessions/s1/note", body: #"{"text":7}"#)
        #expect(refused.status == 400)
        _ = store
    }

    @Test("the names of its schemas are defined, and its steps can run")
    func complete() async throws {
        let (store, feature) = try withNotes()
        #expect(feature.schemas.map(\.0.rawValue) == ["Note", "NoteChange"])
        try await store.store().run { connection throws(PersistenceError) in
            _ = try connection.query(Statement("t", "CREATE TEMP TABLE erased_sessions (session_id text)"))
            for statement in feature.erasure.flatMap(\.statements) { _ = try connection.query(statement) }
            for case .orphans(let statement) in feature.retention { _ = try connection.query(statement) }
        }
    }

    @Test("the document shows this file")
    func documented() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let code = try String(contentsOf: tests.appending(path: "NotesExample/NotesFeature.swift"), encoding: .utf8)
        let page = tests.appending(path: "../docs/adding-a-feature.md")
        #expect(try String(contentsOf: page, encoding: .utf8).contains("```swift\n\(code)```"))
    }
}
