package import EventModel
package import HTTPClient
internal import HTTPModel
internal import JSON
internal import Signing

/// The name under which an authorization server knows this server.
package struct OAuthClient: Sendable, Equatable {
    package var id: String
    /// `nil` for a public client.
    package var secret: String?
    /// `nil` if the secret does not expire.
    package var expiresAt: Timestamp?

    package init(id: String, secret: String? = nil, expiresAt: Timestamp? = nil) {
        (self.id, self.secret, self.expiresAt) = (id, secret, expiresAt)
    }
}

extension OAuthClient: CustomStringConvertible, CustomReflectable {
    package var description: String { "client \(id)" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// How this server gets its client id at an authorization server.
package enum ClientChoice: Sendable, Equatable {
    case use(OAuthClient)
    case register(HTTPLocation)

    /// - Parameters:
    ///   - given: what a person has registered there.
    ///   - known: what an earlier registration gave.
    ///   - document: the URL of this server's description, if other servers can reach it.
    package init(
        at server: AuthorizationServer,
        given: OAuthClient?,
        known: OAuthClient?,
        document: String?,
        now: Timestamp
    ) throws(OAuthFault) {
        if let given {
            self = .use(given)
        } else if server.takesClientDocuments, let document {
            self = .use(OAuthClient(id: document))
        } else if let known, known.expiresAt.map({ $0 > now }) ?? true {
            self = .use(known)
        } else if let endpoint = server.registrationEndpoint {
            self = .register(endpoint)
        } else {
            let text = "the issuer registers no clients: register this server there, and give 'client_id'"
            throw OAuthFault(.noRegistration, text)
        }
    }
}

/// This server as a client: its description, which is also its request for registration (RFC 7591).
package struct ClientDescription: Sendable {
    package static let name = "Claude Code Monitor"

    private let redirectURI: String

    package init(redirectURI: String) {
        self.redirectURI = redirectURI
    }

    /// The document that a client id names.
    package func document(at url: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("client_id", url)
        writeMembers(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    package var registration: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(to: &writer)
        let isLoopback = HTTPLocation(redirectURI)?.isSecure == false
        writer.field("application_type", isLoopback ? "native" : "web")
        writer.endObject()
        return writer.bytes
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.field("client_name", ClientDescription.name)
        for (name, values) in [
            ("redirect_uris", [redirectURI]), ("grant_types", ["authorization_code", "refresh_token"]),
            ("response_types", ["code"]),
        ] {
            writer.beginArray(name)
            for value in values { writer.string(value) }
            writer.endArray()
        }
        writer.field("token_endpoint_auth_method", "none")
    }

    /// Reads the answer to a registration.
    package static func client(from status: Int, _ body: [UInt8]) throws(OAuthFault) -> OAuthClient {
        guard (200...201).contains(status) else {
            throw OAuthFault(.registrationRefused, "the issuer refuses the registration with status \(status)")
        }
        guard let json = try? JSONValue.parse(body, maxDepth: 16), let id = json["client_id"]?.string,
            TokenText.isCredential(id)
        else { throw OAuthFault(.registrationRefused, "the answer to the registration has no client id") }
        let secret = json["client_secret"]?.string
        guard secret.map(TokenText.isCredential) ?? true else {
            throw OAuthFault(.registrationRefused, "the answer to the registration has no usable secret")
        }
        let seconds = json["client_secret_expires_at"]?.integer ?? 0
        let isTimed = secret != nil && seconds > 0 && seconds < 253_402_300_800
        let expiresAt = isTimed ? Timestamp(microseconds: seconds * 1_000_000) : nil
        return OAuthClient(id: id, secret: secret, expiresAt: expiresAt)
    }
}
