internal import API
internal import HTTPModel
internal import JSON

/// A request for a link.
struct LinkRequest: Sendable, Equatable {
    private static let mostLevels = 16

    /// The slug, in lower case. Only requests of a session have it.
    var toolkit: String?
    var authConfig: String?
    var userID: String?
    var callback: String?
    var alias: String?

    /// `{toolkit, callback_url?, alias?}` in a session, else `{auth_config_id, user_id, callback_url?, alias?}`.
    init(_ body: [UInt8]) throws(APIError) {
        let json = try JSONValue(object: body, maxDepth: LinkRequest.mostLevels)
        toolkit = try LinkRequest.text("toolkit", json)?.lowercased()
        authConfig = try LinkRequest.text("auth_config_id", json)
        userID = try LinkRequest.text("user_id", json)
        callback = try LinkRequest.text("callback_url", json, atMost: 2000)
        alias = try LinkRequest.text("alias", json)
    }

    /// `{auth_config: {id}, connection: {user_id, callback_url?, alias?}}`. It has no credentials: the user logs in.
    init(initiating body: [UInt8]) throws(APIError) {
        let json = try JSONValue(object: body, maxDepth: LinkRequest.mostLevels)
        guard let config = json["auth_config"], let connection = json["connection"] else {
            throw RouterFault.badRequest("'auth_config' and 'connection' are needed.", param: "auth_config")
        }
        if let state = connection["state"], state != .null, state["val"]?["status"]?.string == "ACTIVE" {
            throw RouterFault.badRequest("It has no credentials: the user logs in.", param: "connection.state")
        }
        authConfig = try LinkRequest.text("id", config)
        userID = try LinkRequest.text("user_id", connection)
        callback = try LinkRequest.text("callback_url", connection, atMost: 2000)
        alias = try LinkRequest.text("alias", connection)
    }

    private static func text(
        _ name: String,
        _ json: JSONValue,
        atMost limit: Int = 256
    ) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, (1...limit).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw RouterFault.badRequest("'\(name)' must be a text of 1 to \(limit) characters.", param: name) }
        return text
    }

    static let schema = JSONSchema.object([
        "auth_config_id": JSONSchema.printable(256), "user_id": JSONSchema.printable(256),
        "callback_url?": JSONSchema.printable(2000), "alias?": JSONSchema.printable(256),
    ])

    static let sessionSchema = JSONSchema.object([
        "toolkit": JSONSchema.printable(256), "callback_url?": JSONSchema.printable(2000),
        "alias?": JSONSchema.printable(256),
    ])
}
