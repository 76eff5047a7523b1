import API
import EventModel
import HTTPModel
import JSON
import Testing

@testable import MCP

@Suite struct ToolReaderTests {
    private static let own = MachineGrant(keyID: 1, machine: MachineID(rawValue: 7), machineName: "7 of nine")

    /// Answers with the target of the request, and with the `id` in its path.
    private func reader(machine: Int64 = 7, named: Int64 = 7) -> ToolReader {
        let paths: [(String, [QueryParameter])] = [
            ("/v1/sessions", [.machine, .text("q", "")]), ("/v1/sessions/{id}", []), ("/v1/sessions/stats", []),
            ("/v1/machines", []), ("/v1/machines/{id}", []), ("/v1/sessions/{id}/changes", []),
            ("/v1/prompts", [.machine, .text("session_id", "")]),
        ]
        let routes = paths.map { path, parameters in
            Route(.get, path, .read) { request in
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("path", path)
                writer.field("id", request.parameters["id"])
                writer.field("query", request.http.query)
                writer.endObject()
                return .json(writer.bytes)
            }.described("", parameters, as: "Failure")
        }
        let ports = ToolPorts(
            current: { $0 },
            machineOfSession: { _ in MachineID(rawValue: machine) },
            machineNamed: { $0 == Self.own.machineName ? MachineID(rawValue: named) : MachineID(rawValue: 9) },
            steadyClock: { Timestamp(microseconds: 0) }
        )
        return ToolReader(ToolCatalog(routes), ports: ports)
    }

    private func read(
        _ name: String,
        _ arguments: [(String, JSONValue)] = [],
        _ scope: ToolScope = .everything,
        by reader: ToolReader
    ) async throws -> String {
        let tool = try #require(reader.tools.first { $0.name == name })
        let request = RouteRequest(http: HTTPRequest(method: .post, path: "/mcp"), principal: .admin, parameters: [:])
        let parameters = try ToolParameters(.object(arguments), of: tool)
        return String(decoding: try await reader.read(tool, parameters, in: scope, for: request), as: UTF8.self)
    }

    @Test func argumentsAreParametersOfTheRoute() async throws {
        let found = try await read("list_sessions", [("q", .string("a&b=ü"))], by: reader())
        #expect(found.contains(#""path":"/v1/sessions","query":"q=a%26b%3D%C3%BC""#))
    }

    @Test(arguments: ["stats", "../machines", "a/b", "?x=1"]) func anIDIsNeverAPath(_ id: String) async throws {
        let found = try await read("get_session", [("session_id", .string(id))], by: reader())
        #expect(found == #"{"path":"/v1/sessions/{id}","id":"\#(id)","query":""}"#)
    }

    @Test func aMachineReadsItself() async throws {
        let scope = ToolScope.machine(Self.own)
        let list = try await read("list_sessions", [], scope, by: reader())
        #expect(list.contains(#""query":"machine_id=7%20of%20nine""#))
        #expect(
            try await read("get_session", [("session_id", .string("s"))], scope, by: reader()).contains(#""id":"s""#)
        )
        #expect(
            try await read("list_machines", [], scope, by: reader()).contains(
                #""path":"/v1/machines/{id}","id":"7 of nine""#
            )
        )
    }

    @Test func aMachineReadsNoOther() async throws {
        let scope = ToolScope.machine(Self.own)
        await #expect(throws: APIError.self) {
            try await self.read("list_sessions", [("machine_id", .string("other"))], scope, by: self.reader())
        }
        await #expect(throws: APIError.sessionNotFound) {
            try await self.read("get_session", [("session_id", .string("s"))], scope, by: self.reader(machine: 8))
        }
        await #expect(throws: APIError.sessionNotFound) {
            try await self.read("list_prompts", [("session_id", .string("s"))], scope, by: self.reader(machine: 8))
        }
        await #expect(throws: APIError.self) {
            try await self.read("get_changes", [("session_id", .string("s"))], scope, by: self.reader())
        }
    }

    @Test func aNameThatIsAnotherMachinesNowReadsNothing() async throws {
        for tool in ["list_sessions", "list_machines"] {
            await #expect(throws: APIError.self) {
                try await self.read(tool, [], .machine(Self.own), by: self.reader(named: 8))
            }
        }
    }

    @Test func everyToolKeepsAMachinesKeyToItsMachine() {
        for tool in reader().tools {
            let names = tool.arguments.map(\.name)
            switch tool.bound {
            case .filter: #expect(names.contains("machine_id"), "\(tool.name)")
            case .session: #expect(tool.arguments.contains { $0.name == "session_id" && $0.isRequired }, "\(tool.name)")
            case .route, .closed: break
            }
        }
    }

    @Test(arguments: [
        [("odd", JSONValue.integer(1))], [("q", .array([]))], [("q", .string("a\u{1B}b"))], [("q", .string(""))],
        [("q", .string(String(repeating: "x", count: 5000)))],
    ])
    func argumentsThatARouteMustNotSee(_ arguments: [(String, JSONValue)]) async throws {
        await #expect(throws: APIError.self) { try await self.read("list_sessions", arguments, by: self.reader()) }
    }

    @Test func rights() throws {
        #expect(throws: APIError.self) { try ToolScope(Self.program(.chat)) }
        #expect(try ToolScope(Self.program(.read)) == .everything)
        #expect(try ToolScope(Principal(.machine(Self.own))) == .machine(Self.own))
    }

    private static func program(_ capability: Capability) -> Principal {
        Principal(.apiKey(APIKeyGrant(id: 1, name: "x", grants: Grants([capability]))))
    }
}

@Suite struct CompactAnswerTests {
    private func compact(_ json: String, _ list: String?) -> String {
        String(decoding: CompactAnswer.json(Array(json.utf8), list: list), as: UTF8.self)
    }

    @Test func aListComesOnce() {
        let page = #"{"object":"list","xs":[1],"data":[1],"next_cursor":null,"meta":{},"links":{},"pagination":{}}"#
        #expect(compact(page, "xs") == #"{"xs":[1],"next_cursor":null}"#)
        #expect(compact(#"{"object":"list","data":[1]}"#, "xs") == #"{"xs":[1]}"#)
    }

    @Test func oneThingIsAListOfOne() { #expect(compact(#"{"id":"1"}"#, "xs") == #"{"xs":[{"id":"1"}]}"#) }

    @Test func anObjectStays() { #expect(compact(#"{"object":"x","data":1}"#, nil) == #"{"object":"x","data":1}"#) }
}
