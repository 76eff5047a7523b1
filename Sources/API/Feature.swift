package import HTTPModel
package import JSON
package import Persistence

/// Rewrites the answer to a request for the clients of the paths that begin with `prefix`, if it is an error.
package typealias ErrorForm = (prefix: String, write: @Sendable (HTTPResponse, _ requestID: String) -> HTTPResponse)

/// A part of the product, with everything that it adds to the server. The server is a list of features.
package struct Feature: Sendable {
    package let name: String
    package var routes: [Route] = []
    /// The schemas that the routes name in their descriptions. Two features may name the same schema.
    package var schemas: [(SchemaName, String)] = []
    /// Tables that are derived from the log, and can be derived again.
    package var projections: [ProjectionSource] = []
    package var retention: [RetentionStep] = []
    package var erasure: [ErasureStep] = []
    /// Where the feature stores sealed secrets.
    package var sealed: [SealedColumn] = []
    /// Makes memory forget erased sessions. Runs after each erasure.
    package var forgetErased: @Sendable () async -> Void = {}
    /// The paths below which errors have another form, and how they get it.
    package var errorForms: [ErrorForm] = []
    package var metrics: @Sendable (inout PrometheusText) -> Void = { _ in }
    /// Works for as long as the server runs, and returns when its task is cancelled.
    package var run: @Sendable () async -> Void = {}
    /// Ends what must not end in the middle. Runs once, when the server stops, before the database goes away.
    package var stop: @Sendable () async -> Void = {}

    package init(_ name: String) {
        self.name = name
    }
}

extension [Feature] {
    package var routes: [Route] { flatMap(\.routes) }
    /// Each schema once.
    package var schemas: [(SchemaName, String)] { JSONSchema.once(flatMap(\.schemas)) }
    package var projections: [ProjectionSource] { flatMap(\.projections) }
    package var retention: [RetentionStep] { flatMap(\.retention) }
    package var erasure: [ErasureStep] { flatMap(\.erasure) }
    package var sealed: [SealedColumn] { flatMap(\.sealed) }
    package var errorForms: [ErrorForm] { flatMap(\.errorForms) }
}
