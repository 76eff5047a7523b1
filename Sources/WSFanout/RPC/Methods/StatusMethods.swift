import JSON

/// `status/health`.
enum StatusMethods {
    static let all = [health]

    static let health = RPCMethod.immediate("status/health") { call in
        let isHealthy = call.context.isHealthy
        return RPCResult { writer in
            writer.field("status", (isHealthy ? "healthy" : "degraded") as String?)
            writer.field("healthy", isHealthy as Bool?)
        }
    }
}
