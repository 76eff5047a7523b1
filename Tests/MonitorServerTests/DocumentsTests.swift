import APISamples
import Access
import EventModel
import Foundation
import HTTPModel
import Host
import JSON
import Logging
import Serving
import Settings
import Signing
import Testing
import Workers

@testable import API
@testable import MonitorServer

@Suite("The documents of all features")
struct DocumentsTests {
    private let features: [Feature]
    /// The routes that the documents describe.
    private let routes: [RouteDescription]

    init() throws {
        let configuration = try Configuration.read(flags: [:], environment: ["HOME": "/nonexistent"]).get()
        let signers = try DeviceSigners(key: .generate())
        let clock: @Sendable () -> Timestamp = { Timestamp(microseconds: 1_767_607_200_000_000) }
        let directory = try DataDirectory(path: NSTemporaryDirectory() + "documents")
        let shared = try SharedServices(
            configuration: configuration,
            adminToken: "token",
            signers: signers,
            secretKeys: SecretKeyFile(in: directory),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() },
            clock: clock,
            steadyClock: clock
        )
        let services = Services(
            shared,
            configuration: configuration,
            signers: signers,
            identity: ServerIdentity(directory: "/nonexistent", now: clock()),
            pushTransports: nil,
            taskThreads: try TaskThreads(name: "tests", count: 2)
        )
        features = services.features
        let described = features.routes.map(\.description).filter { !$0.summary.isEmpty && $0.isListed }
        routes = described + LoopRoutes.descriptions
    }

    private func document(_ path: String) async throws -> JSONValue {
        guard case .route(let route, _) = Services.router(of: features).match(.get, path) else { return .null }
        let request = RouteRequest(http: HTTPRequest(method: .get, path: path), parameters: [:])
        return try JSONValue.parse(try await route.handler(request).body)
    }

    @Test("every route is in the document, and nothing else")
    func openAPI() async throws {
        let document = try await document("/openapi.json")
        guard case .object(let paths)? = document["paths"] else {
            Issue.record("no paths")
            return
        }
        var described: Set<String> = []
        for (path, methods) in paths {
            guard case .object(let members) = methods else { continue }
            for (method, _) in members { described.insert("\(method) \(path)") }
        }
        let own = ["/openapi.json", "/api/rpc/discover", "/docs"].map { "get \($0)" }
        #expect(described == Set(routes.map { "\($0.method.rawValue.lowercased()) \($0.path)" } + own))
    }

    @Test("every route says what it is for and what it answers, except those of the web app's files")
    func described() {
        let files = features.routes.map(\.description).filter(\.summary.isEmpty).map(\.path)
        #expect(files == ["/assets/{name}", "/sw.js", "/manifest.webmanifest", "/icons/{name}", "/swagger/"])
        for route in routes { #expect(!route.answers.isEmpty, "\(route.path)") }
    }

    /// What the network loop serves itself, and what agents start, names the schemas of sessions.
    @Test("every feature defines the schemas that its routes and schemas name, or the one below it does")
    func schemas() throws {
        let below = ["web": "devices", "loop": "sessions", "agents": "sessions"]
        var loop = Feature("loop")
        loop.schemas = LoopRoutes.schemas
        for feature in features + [loop] {
            let routes = feature.name == "loop" ? LoopRoutes.descriptions : feature.routes.map(\.description)
            let lender = features.first { $0.name == below[feature.name] }
            let undefined = try undefinedSchemas(routes, JSONSchema.common + feature.schemas + (lender?.schemas ?? []))
            #expect(undefined == [], "\(feature.name)")
        }
    }

    @Test("every reference in a document leads somewhere", arguments: ["/openapi.json", "/api/rpc/discover"])
    func references(path: String) async throws {
        let document = try await document(path)
        #expect(!document.references.isEmpty)
        #expect(document.references.filter { document.target(of: $0) == nil } == [])
    }

    @Test("every route is described with its failures")
    func failures() async throws {
        let document = try await document("/openapi.json")
        for route in routes {
            let responses = document["paths"]?[route.path]?[route.method.rawValue.lowercased()]?["responses"]
            #expect(responses?["503"] != nil && responses?["default"] == nil, "\(route.path)")
        }
    }
}
