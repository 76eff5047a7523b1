/// A statement that a connection prepares once, on first use. Parameters and results are in binary format.
package struct Statement: Sendable {
    /// Unique in the module. Names the prepared statement on the server and in errors.
    let name: String
    let sql: String
    let parameters: [PGType]

    package init(_ name: String, _ sql: String) {
        self.init(name, [], sql)
    }

    package init(_ name: String, _ parameters: [PGType], _ sql: String) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}

/// Object ids of built-in types, fixed for all servers (`pg_type.dat`).
package enum PGType: UInt32, Sendable {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701
    case timestamptz = 1184
    case uuid = 2950
    case boolArray = 1000
    case byteaArray = 1001
    case textArray = 1009
    case int8Array = 1016
    case float8Array = 1022
    case timestamptzArray = 1185
    case uuidArray = 2951

    /// The type of an array of this type.
    var array: PGType {
        switch self {
        case .bool, .boolArray: .boolArray
        case .bytea, .byteaArray: .byteaArray
        case .int8, .int8Array: .int8Array
        case .text, .textArray: .textArray
        case .float8, .float8Array: .float8Array
        case .timestamptz, .timestamptzArray: .timestamptzArray
        case .uuid, .uuidArray: .uuidArray
        }
    }
}
