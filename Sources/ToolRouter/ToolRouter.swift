internal import API
package import EventModel
internal import HTTPModel
package import Persistence
package import Tools

/// What the parts of the tool router share. May be used on any thread.
package struct ToolRouter: Sendable {
    let database: any StoreAccess
    let toolkits: ToolkitService
    let connections: any ConnectionDirectory
    /// Turns bytes into a text that only servers of this database can read.
    let seal: @Sendable ([UInt8]) -> String?
    let unseal: @Sendable (String) -> [UInt8]?
    /// Whether the listeners use TLS.
    let isSecure: Bool
    /// Whether answers have the form in the documents of the first clients.
    let isSeedCompatible: Bool
    let clock: @Sendable () -> Timestamp

    package init(
        database: any StoreAccess,
        toolkits: ToolkitService,
        connections: any ConnectionDirectory,
        seal: @escaping @Sendable ([UInt8]) -> String?,
        unseal: @escaping @Sendable (String) -> [UInt8]?,
        isSecure: Bool,
        isSeedCompatible: Bool,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.database, self.toolkits, self.connections) = (database, toolkits, connections)
        (self.seal, self.unseal, self.clock) = (seal, unseal, clock)
        (self.isSecure, self.isSeedCompatible) = (isSecure, isSeedCompatible)
    }

    /// The server's address, as the program uses it.
    func origin(_ request: RouteRequest) -> String { ServerAddress(request.http, isSecure: isSecure).http }
}

/// A program that uses the tool router.
struct RouterCaller: Sendable {
    let key: APIKeyGrant
    let caller: Caller

    var principal: Principal { Principal(.apiKey(key)) }

    /// Throws 403 unless the request is from an API key that may run tools.
    init(_ request: RouteRequest) throws(APIError) { try self.init(request.principal, request.caller) }

    init(_ principal: Principal?, _ caller: Caller) throws(APIError) {
        guard let key = principal?.apiKey else {
            throw .insufficientScope("The tool router is for API keys that have the capability 'tools'.")
        }
        guard key.grants.allow(.tools) else {
            throw .insufficientScope(Principal(.apiKey(key)).lacking(.tools))
        }
        (self.key, self.caller) = (key, caller)
    }

    func owner(_ userID: String) -> ConnectionOwner { ConnectionOwner(key: key, userID: userID) }
}

extension RouterToolkit {
    init(_ toolkit: Toolkit) {
        self.init(slug: toolkit.slug, serverID: toolkit.serverID, name: toolkit.name, isRemote: toolkit.isRemote)
    }
}
