package import API
package import CdevDialect
internal import EventModel
internal import HTTPModel
package import JSON
package import Listener
package import RPC
internal import WSFanout

extension ServerContext {
    /// The handler of a network loop.
    package func handler(of loop: NetworkLoop) -> any RequestHandler {
        LoopHandler(context: self, loop: loop, window: StreamWindow(epoch: "", oldest: 0, head: 0))
    }
}

/// The routes that the network loop handles itself. The router does not know them.
package enum LoopRoutes {
    package static var descriptions: [RouteDescription] { LoopHandler.descriptions }
    package static let schemas = JSONSchema.ingest
    package static let socketPath = SocketRoute.cdev.path
}

extension LoopHandler {
    /// Checks the query of a request that the loop serves without the router.
    static func checkParameters(of request: HTTPRequest) throws(APIError) {
        guard !request.query.isEmpty else { return }
        try descriptions.first { $0.path == request.path }?.check(QueryParameters(request.query))
    }

    /// The paths that the loop serves without the router.
    static let descriptions = receivers + SocketRoute.all.map(\.description)

    private static let receivers: [RouteDescription] = [
        RouteDescription(.post, IngestKind.events.rawValue, .needs(IngestKind.capability))
            .saying(
                "Events in envelopes: one, an array, or one a line. With a machine's key.",
                body: "Envelopes",
                faults: [413, 415, 429, 500]
            )
            .takingLines()
            .answering(202, "application/json", "IngestAnswer"),
        RouteDescription(.post, IngestKind.hook.rawValue, .needs(IngestKind.capability))
            .saying("One hook's JSON as it is. With a machine's key.", body: "Hook", faults: [413, 415, 429, 500])
            .answering(200, "application/json", "HookAnswer"),
        RouteDescription(.post, IngestKind.sourceAppHook.rawValue, .needs(IngestKind.capability))
            .named("postSourceAppHook")
            .saying(
                "One hook in the form of claude-code-hooks-multi-agent-observability. With a machine's key.",
                body: "SourceAppHook",
                faults: [413, 415, 429, 500]
            )
            .answering(200, "application/json", "HookTaken"),
        RouteDescription(.post, IngestKind.typedHook.rawValue, .needs(IngestKind.capability))
            .saying(
                "One hook in the form of Claude-Code-Agent-Monitor. With a machine's key, also in x-ccam-hook-token.",
                body: "TypedHook",
                faults: [413, 415, 429, 500]
            )
            .answering(200, "application/json", "HookTaken"),
        telemetry(.logs, "Log records by OTLP/HTTP, as JSON or protobuf. With a machine's key."),
        telemetry(.metrics, "Metrics by OTLP/HTTP, as JSON or protobuf. With a machine's key."),
        telemetry(.traces, "Spans by OTLP/HTTP: counted, not stored. With a machine's key."),
        RouteDescription(.post, IngestKind.prompt.rawValue, .needs(IngestKind.capability))
            .saying(
                "A hook that waits: 200 with what it prints, or {}; 204: ask again. With a machine's key.",
                body: "Envelope",
                faults: [413, 415, 429, 500]
            )
            .answering(200, "application/json", "HookAnswer")
            .answering(204, "application/json"),
    ]

    private static func telemetry(_ kind: IngestKind, _ summary: String) -> RouteDescription {
        RouteDescription(.post, kind.rawValue, .needs(IngestKind.capability))
            .saying(summary, body: "TelemetryExport", faults: [413, 415, 429, 500])
            .takingTelemetry()
            .answering(200, "application/json", "TelemetryAnswer")
    }
}

extension RPCInterface {
    package init(_ table: RPCMethodTable<CdevHost>, version: String) {
        let document = OpenRPCDocument(version: version, methods: table)
        self.init(
            document: document.json,
            methods: table.all.map { method in
                let about = method.description
                return Method(
                    name: method.name,
                    summary: about.summary,
                    access: .needs(about.needs),
                    parameters: about.parameters.map {
                        QueryParameter(name: $0.name, schema: $0.schema, summary: $0.summary)
                    },
                    result: about.result
                )
            },
            schemas: OpenRPCDocument.schemas(of: table)
        )
    }
}
