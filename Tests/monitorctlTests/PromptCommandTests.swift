import Foundation
import Synchronization
import Testing

@testable import monitorctl

/// `prompts`, `answer`, `send` and `interrupt`: what they send, and what they show.
@Suite(.timeLimit(.minutes(5)))
final class PromptCommandTests: Sendable {
    private let sent = Mutex<[StandInServer.Request]>([])

    private func serve() throws -> StandInServer {
        let questions = #"[{"question":"A=B?"},{"question":"Which?"}]"#
        let prompts = [
            "prm_1": #"{"id":"prm_1","kind":"permission","state":"open","title":"Bash","answerable":true}"#,
            "prm_2": #"{"id":"prm_2","kind":"question","title":"Question","questions":\#(questions)}"#,
            "prm_3": #"{"id":"prm_3","kind":"question","title":"Question","questions":[{"question":"Which?"}]}"#,
            "prm_4": #"{"id":"prm_4","kind":"plan","title":"Plan"}"#,
            "prm_5": #"{"id":"prm_5","kind":"elicitation","title":"phone"}"#,
        ]
        return try StandInServer { [self] request, exchange in
            sent.withLock { $0.append(request) }
            let id = request.path.split(separator: "/").last { $0.hasPrefix("prm_") }.map(String.init)
            switch (request.method, id) {
            case ("GET", let id?): exchange.reply(200, prompts[id] ?? "{}")
            case ("GET", nil): exchange.reply(200, #"{"prompts":[\#(prompts["prm_1"] ?? "")]}"#)
            case (_, let id?): exchange.reply(200, #"{"prompt":\#(prompts[id] ?? "{}")}"#)
            default: exchange.reply(202, #"{"id":"msg_1","state":"queued"}"#)
            }
        }
    }

    /// The body of the last request, without the id that each answer and message gets.
    private func body() throws -> NSDictionary {
        let last = try #require(sent.withLock { $0.last })
        var object = try #require(try JSONSerialization.jsonObject(with: last.body) as? [String: Any])
        let id = object.removeValue(forKey: "answer_id") ?? object.removeValue(forKey: "message_id")
        #expect(UUID(uuidString: id as? String ?? "") != nil)
        return object as NSDictionary
    }

    @Test(arguments: [
        (["prm_1", "allow", "--scope", "session"], #"{"decision":"allow","scope":"session"}"#),
        (
            ["prm_1", "deny", "--message", "No.", "--interrupt"],
            #"{"decision":"deny","message":"No.","interrupt":true}"#
        ),
        (
            ["prm_1", "allow", "--input", #"{"command":"ls","timeout":5}"#],
            #"{"decision":"allow","updated_input":{"command":"ls","timeout":5}}"#
        ),
        (
            ["prm_1", "allow", "--permissions", "setMode", "--permissions", "addDirectories"],
            #"{"decision":"allow","permissions":["setMode","addDirectories"]}"#
        ),
        (
            [
                "prm_2", "--answers", "Which?=a=b", "--answers", "Which?=c", "--answers", "A=B?=d", "--notes",
                "Which?=n",
            ],
            #"{"answers":{"Which?":["a=b","c"],"A=B?":"d"},"notes":{"Which?":"n"}}"#
        ),
        (["prm_3", "SQLite"], #"{"answers":{"Which?":"SQLite"}}"#),
        (["prm_3", "deny", "--message", "Later."], #"{"decision":"deny","message":"Later."}"#),
        (
            ["prm_4", "allow", "--mode", "acceptEdits", "--plan", "1. Less."],
            #"{"decision":"allow","mode":"acceptEdits","plan":"1. Less."}"#
        ),
        (["prm_5", "accept", "--content", #"{"n":1.5}"#], #"{"action":"accept","content":{"n":1.5}}"#),
        (["prm_5", "deny"], #"{"action":"decline"}"#),
        (
            ["prm_1", "--body", #"{"decision":"deny","message":"No."}"#, "--interrupt"],
            #"{"decision":"deny","message":"No.","interrupt":true}"#
        ),
    ])
    func answer(_ arguments: [String], _ wanted: String) async throws {
        let server = try serve()
        let run = try await ProgramRun.finish(["answer"] + arguments, url: server.url)
        #expect(run.status == 0 && run.out.last?.hasSuffix(": answered.") == true, "\(run)")
        let wanted = try #require(try JSONSerialization.jsonObject(with: Data(wanted.utf8)) as? NSDictionary)
        #expect(try body() == wanted)
        #expect(sent.withLock { $0.last?.path } == "/v1/prompts/\(arguments[0])/answer")
    }

    @Test(arguments: [
        ["prm_1"], ["prm_1", "allow", "--input", "[1]"], ["prm_1", "--body", "{"], ["prm_2", "--answers", "none"],
        ["prm_4", "allow", "--mode", "bypassPermissions"],
    ])
    func wrongUsage(_ arguments: [String]) async throws {
        #expect(try await ProgramRun.finish(["answer"] + arguments, url: nil).status == 64)
    }

    @Test func aTextForSeveralQuestionsIsRefused() async throws {
        let server = try serve()
        let run = try await ProgramRun.finish(["answer", "prm_2", "SQLite"], url: server.url)
        #expect(run.status == 1 && run.err.contains("--answers"))
        #expect(sent.withLock { $0.count } == 1)
    }

    @Test func prompts() async throws {
        let server = try serve()
        let run = try await ProgramRun.finish(["prompts"], url: server.url)
        #expect(run.out.last?.hasPrefix("prm_1") == true && run.out.last?.contains("possible") == true, "\(run)")
        #expect(sent.withLock { $0.last?.query["state"] } == "open")
    }

    @Test func send() async throws {
        let server = try serve()
        let run = try await ProgramRun.finish(["send", "s/1", "Also the README."], url: server.url)
        #expect(run.status == 0 && run.out.first?.hasPrefix("Queued.") == true)
        #expect(sent.withLock { $0.last?.path } == "/v1/sessions/s%2F1/input")
        #expect(try body() == ["text": "Also the README."])
    }

    @Test func interrupt() async throws {
        let server = try serve()
        let run = try await ProgramRun.finish(["interrupt", "s-1"], url: server.url)
        #expect(run.status == 0 && run.out.first?.contains("next tool") == true)
        #expect(sent.withLock { $0.map { "\($0.method) \($0.path)" } } == ["POST /v1/sessions/s-1/interrupt"])
        let json = try await ProgramRun.finish(["interrupt", "s-1", "--json"], url: server.url)
        #expect(json.out == [#"{"id":"msg_1","state":"queued"}"#])
    }
}
