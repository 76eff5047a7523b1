package import EventModel
package import HTTPModel
package import Persistence

extension StoreAccess {
    /// Returns the machine selected by `machine` or `machine_id`, or `nil` without either.
    package func machineFilter(_ query: QueryParameters) async throws(APIError) -> MachineFilter? {
        guard let name = query.machineName else { return nil }
        return try await machine(named: name).map { .machine($0) } ?? .reported(name)
    }
}

extension QueryParameters {
    package var machineName: String? { self["machine"] ?? self["machine_id"] }
}
