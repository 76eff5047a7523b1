package import EventModel
package import HTTPModel

/// Makes directories for projects that name none.
package struct ProjectDirectories: Sendable {
    package typealias Directory = (machine: String, path: String)
    package typealias Make =
        @Sendable (_ name: String, _ machine: String?, Principal) async throws(APIError) -> Directory?

    private let make: Make

    /// - Parameter make: returns nil if no machine makes one.
    package init(_ make: @escaping Make) { self.make = make }

    package func directory(
        forProject name: String,
        on machine: String?,
        by principal: Principal
    ) async throws(APIError) -> Directory? {
        try await make(name, machine, principal)
    }
}
