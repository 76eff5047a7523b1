// Uses the client of docs/rpc.md as the guide's usage example does, and prints a line for each thing it receives.

import Foundation

struct Workspaces: Decodable {
    struct Workspace: Decodable {
        var id: String
        var sessions: [Session]
    }

    struct Session: Decodable {
        var id: String
        var workspaceId: String
        var claudeState: String
    }

    var workspaces: [Workspace]
}

struct OpenedSession: Decodable {
    var id: String
    var status: String
}

/// At once, also where the output is a pipe.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

@MainActor
func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let address = environment["MONITOR_SOCKET"], let url = URL(string: address) else { return }
    let client = CDEVClient(serverURL: url, token: environment["MONITOR_TOKEN"] ?? "")
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    client.onEvent = { name, payload, workspace, session in
        let members = payload.keys.sorted().joined(separator: ",")
        say("event \(name) \(workspace ?? "-") \(session ?? "-") \(members)")
        if name == "session_end" { end.yield() }
    }
    client.onClose = { _ in
        say("closed")
        end.finish()
    }
    try await client.connect()
    let found: Workspaces = try await client.rpc("workspace/list")
    for session in found.workspaces.flatMap(\.sessions) { say("session \(session.id) \(session.claudeState)") }
    guard let session = found.workspaces.flatMap(\.sessions).first else { return }
    let place = ["workspace_id": session.workspaceId, "session_id": session.id]
    let opened: OpenedSession = try await client.rpc("session/start", params: place)
    say("opened \(opened.id) \(opened.status)")
    try await client.rpc("workspace/session/watch", params: place)
    do {
        let answer = ["session_id": session.id, "type": "permission", "response": "yes"]
        try await client.rpc("session/respond", params: answer)
    } catch let error as CDEVClient.RPCError {
        say("error \(error.code)")
    }
    say("ready")
    for await _ in ended { client.disconnect() }
}

try await run()
