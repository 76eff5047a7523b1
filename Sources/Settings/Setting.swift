/// The configuration keys. Each is an environment variable and a flag; the flag takes precedence.
package enum Setting: String, CaseIterable {
    case listen = "MONITOR_LISTEN"
    case databaseURL = "DATABASE_URL"
    case databasePasswordFile = "DATABASE_PASSWORD_FILE"
    case dataDirectory = "MONITOR_DATA_DIR"
    case adminToken = "MONITOR_ADMIN_TOKEN"
    case tlsCertificate = "MONITOR_TLS_CERT"
    case tlsKey = "MONITOR_TLS_KEY"
    case allowedHosts = "MONITOR_ALLOWED_HOSTS"
    case allowedOrigins = "MONITOR_ALLOWED_ORIGINS"
    case trustedProxies = "MONITOR_TRUSTED_PROXIES"
    case proxyProtocol = "MONITOR_PROXY_PROTOCOL"
    case peerConnections = "MONITOR_PEER_CONNECTIONS"
    case ioUring = "MONITOR_IO_URING"
    case maxBody = "MONITOR_MAX_BODY"
    case spoolMax = "MONITOR_SPOOL_MAX"
    case rateLimit = "MONITOR_RATE_LIMIT"
    case clientRateLimit = "MONITOR_CLIENT_RATE_LIMIT"
    case retentionDays = "MONITOR_RETENTION_DAYS"
    case auditDays = "MONITOR_AUDIT_DAYS"
    case timezone = "MONITOR_TIMEZONE"
    case storeContent = "MONITOR_STORE_CONTENT"
    case chatMachine = "MONITOR_CHAT_MACHINE"
    case chatSampling = "MONITOR_CHAT_SAMPLING"
    case modelAliases = "MONITOR_MODEL_ALIASES"
    case compat = "MONITOR_COMPAT"
    case publicURL = "MONITOR_PUBLIC_URL"
    case toolNetworks = "MONITOR_TOOL_NETWORKS"
    case toolCAFile = "MONITOR_TOOL_CA_FILE"
    case toolCallbacks = "MONITOR_TOOL_CALLBACKS"
    case prices = "MONITOR_PRICES"
    case pairingApproval = "MONITOR_PAIRING_APPROVAL"
    case appleAudiences = "MONITOR_APPLE_AUDIENCES"
    case appleAllowed = "MONITOR_APPLE_ALLOWED"
    case appleKeys = "MONITOR_APPLE_KEYS"
    case appleCAFile = "MONITOR_APPLE_CA_FILE"
    case logLevel = "MONITOR_LOG_LEVEL"
    case logFormat = "MONITOR_LOG_FORMAT"
    case migrationsDirectory = "MONITOR_MIGRATIONS_DIR"
    case postgresBinaries = "MONITOR_POSTGRES_BIN"
    case postgresUser = "MONITOR_POSTGRES_USER"
    case apnsKeyFile = "APNS_KEY_FILE"
    case apnsKeyID = "APNS_KEY_ID"
    case apnsTeamID = "APNS_TEAM_ID"
    case apnsTopic = "APNS_TOPIC"
    case apnsHost = "APNS_HOST"
    case apnsPort = "APNS_PORT"
    case apnsCAFile = "APNS_CA_FILE"
    case apnsCanaryDevice = "APNS_CANARY_DEVICE"
    case apnsCanaryMinutes = "APNS_CANARY_MINUTES"
    case webPushSubject = "WEBPUSH_SUBJECT"
    case webPushCAFile = "WEBPUSH_CA_FILE"
    case webPushPrivate = "WEBPUSH_PRIVATE"

    /// `MONITOR_DATA_DIR` is `--data-dir`, `DATABASE_URL` is `--database-url`.
    package var flag: String {
        let name = rawValue.hasPrefix("MONITOR_") ? rawValue.dropFirst("MONITOR_".count) : rawValue[...]
        return "--" + String(name.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    package init?(flag: String) {
        guard let setting = Setting.allCases.first(where: { $0.flag == flag }) else { return nil }
        self = setting
    }

    package var help: String {
        switch self {
        case .listen: "host:port, [v6]:port or unix:/path, separated by commas (127.0.0.1:8766)"
        case .databaseURL: "libpq URL or conninfo; without it the server runs its own PostgreSQL in the data directory"
        case .databasePasswordFile: "file with the password for that database, read at each start"
        case .dataDirectory: "directory of cluster, spool and admin token ($XDG_DATA_HOME/claude-monitor)"
        case .adminToken: "full access, at least 32 characters (made at first start, in the data directory)"
        case .tlsCertificate: "PEM file of the certificate; with it and the key the server uses TLS 1.2 or later"
        case .tlsKey: "PEM file of the certificate's private key"
        case .allowedHosts: "names allowed in the Host header, by commas (loopback names and listen addresses)"
        case .allowedOrigins: "origins allowed for browsers, separated by commas (only the server's own)"
        case .trustedProxies:
            "networks whose X-Forwarded headers are trusted, such as 10.0.0.0/8,::1, and unix for unix sockets (none)"
        case .proxyProtocol: "on or off: whether these proxies send the PROXY protocol, version 1 or 2 (off)"
        case .peerConnections:
            "connections that one address may open, 1 to 1000000; loopback and trusted proxies are unlimited (1000)"
        case .ioUring: "on or off: whether to use io_uring if the system has it (on)"
        case .maxBody: "largest request body, also after decompression, in bytes or KiB/MiB (4MiB)"
        case .spoolMax:
            "size of the events kept on disk while the database is unreachable, in bytes or KiB/MiB/GiB; 0: none (1GiB)"
        case .rateLimit: "requests per second and burst of each machine key, or off (200:1000)"
        case .clientRateLimit: "the same of each device and API key (50:500, or the limit of machine keys if set)"
        case .retentionDays: "days to keep events, 1 to 3650 (90)"
        case .auditDays: "days to keep the audit log, 30 to 3650 (365)"
        case .timezone: "time zone in which a day of the budgets begins, such as Europe/Berlin (UTC)"
        case .chatMachine: "machines that answer the chats of API keys without a machine, separated by commas (none)"
        case .chatSampling: "ignore or pass: whether temperature and top_p of plain chats reach the model (ignore)"
        case .modelAliases: "names for models, such as gpt-4o=sonnet,gpt-4o-mini=haiku, separated by commas (none)"
        case .compat: "seed or off: the interface as the first clients' documents print it, on loopback only (off)"
        case .publicURL: "https address at which browsers reach the server, for logins at remote MCP servers (none)"
        case .toolNetworks:
            "networks in which remote MCP servers may have private addresses and plain http, such as 127.0.0.0/8 (none)"
        case .toolCallbacks:
            "where browsers may go after a login for a program: https://app.example, or a scheme such as act: (none)"
        case .toolCAFile: "PEM certificates to trust for remote MCP servers instead of the system's"
        case .storeContent: "full, summary or none: how much of prompts and tool data is kept (summary)"
        case .prices: "JSON file with prices of models, which replace the built-in ones (none)"
        case .pairingApproval: "on or off: whether the operator must approve each new device (off)"
        case .appleAudiences: "bundle and services ids for Sign in with Apple, separated by commas (none: off)"
        case .appleAllowed: "subjects and verified e-mails that need no invitation, separated by commas (none)"
        case .appleKeys: "https address or file of Apple's public keys (https://appleid.apple.com/auth/keys)"
        case .appleCAFile: "PEM certificates to trust for that address instead of the system's"
        case .logLevel: "trace, debug, info, notice, warning, error or critical (info)"
        case .logFormat: "text or json (text)"
        case .migrationsDirectory: "directory of the numbered SQL files (found beside the program)"
        case .postgresBinaries: "directory of initdb, pg_ctl and postgres (found by the server)"
        case .apnsKeyFile: ".p8 file of Apple's push key; with key id, team id and topic it turns on pushes to apps"
        case .apnsKeyID: "id of that key, 10 letters and digits"
        case .apnsTeamID: "id of the developer team, 10 letters and digits"
        case .apnsTopic: "bundle id of the app that gets the pushes"
        case .apnsHost: "push service to use instead of Apple's two, for relays and tests"
        case .apnsPort: "port of the push service (443)"
        case .apnsCAFile: "PEM certificates to trust for the push service instead of the system's"
        case .apnsCanaryDevice: "id of a device that gets a background push as a delivery probe (none: off)"
        case .apnsCanaryMinutes: "minutes between two delivery probes, 30 to 1440 (60)"
        case .webPushSubject:
            "mailto: or https: URL at which push services can reach the operator; turns on pushes to browsers"
        case .webPushCAFile: "PEM certificates to trust for browsers' push services instead of the system's"
        case .webPushPrivate: "yes or no: whether push services may have private addresses and any port (no)"
        case .postgresUser: "user that runs the private PostgreSQL if the server is root (postgres)"
        }
    }
}
