internal import Access
package import EventIngest
package import EventModel
package import HTTPClient
package import HTTPModel
package import Host
package import Listener
package import Logging
package import Masking
package import Notifications
package import OAuth
internal import Persistence
internal import Signing
package import Usage
internal import Workers

/// The validated configuration of the server.
package struct Configuration {
    package var listen: [ListenAddress]
    package var databaseURL: String?
    /// Overrides a password in `databaseURL`.
    package var databasePassword: String?
    package var dataDirectory: String
    /// Whether `monitorctl` finds the data directory without being told.
    package var isDefaultDirectory: Bool
    package var adminToken: String?
    package var tlsCertificate: String?
    package var tlsKey: String?
    package var allowedHosts: [String]?
    package var allowedOrigins: [String]
    package var trustedProxies: TrustedProxies
    package var usesProxyProtocol: Bool
    package var peerConnections: Int
    package var usesIOUring: Bool
    package var maxBody: Int
    /// Bytes; 0 disables the spool.
    package var spoolMax: Int
    /// The limit of each machine key. `nil` disables it.
    package var rateLimit: RateLimit?
    /// The limit of each device, and of each API key that has no limit of its own. `nil` disables it.
    package var clientRateLimit: RateLimit?
    package var retentionDays: Int
    package var auditDays: Int
    /// Of the budgets' day.
    package var timeZone: TimeZoneName
    package var contentPolicy: ContentPolicy
    /// The machines that answer chats if the API key names none, in order.
    package var chatMachines: [String]
    /// Whether `temperature` and `top_p` of plain chats reach the model.
    package var passesSampling: Bool
    package var modelAliases: ModelAliases
    /// Whether the interface is as the documents of the first clients print it.
    package var isSeedCompatible: Bool
    /// Where browsers reach the server; `nil` if only programs of its machine do.
    package var publicURL: HTTPLocation?
    /// Where remote MCP servers may have private addresses and do without TLS.
    package var toolNetworks: IPNetworks
    package var toolCAFile: String?
    /// Where browsers may go after a login for a program.
    package var toolCallbacks: CallbackRules
    package var prices: PriceList
    package var pairingNeedsApproval: Bool
    /// `nil` disables Sign in with Apple.
    package var appleSignIn: AppleSignInSettings?
    package var logLevel: Logger.Level
    package var logFormat: LineLogHandler.Format
    package var migrationsDirectory: String?
    package var postgresBinaries: String?
    package var postgresUser: String
    package var push: PushConfiguration

    /// Reads all settings and reports all errors at once.
    package static func read(
        flags: [Setting: String],
        environment: [String: String]
    ) -> Result<Configuration, ConfigurationFaults> {
        var reader = SettingsReader(flags: flags, environment: environment)
        let configuration = Configuration(&reader, environment: environment)
        return reader.faults.isEmpty ? .success(configuration) : .failure(ConfigurationFaults(faults: reader.faults))
    }

    private init(_ reader: inout SettingsReader, environment: [String: String]) {
        listen = reader.listenAddresses()
        databaseURL = reader.databaseURL()
        databasePassword = reader.databasePassword()
        isDefaultDirectory = reader.text(.dataDirectory) == nil
        dataDirectory = reader.dataDirectory(environment: environment)
        adminToken = reader.adminToken()
        tlsCertificate = reader.text(.tlsCertificate)
        tlsKey = reader.text(.tlsKey)
        allowedHosts = reader.names(
            .allowedHosts,
            "a host name without a port, such as monitor.example",
            ListenerConfiguration.isHostName
        )
        allowedOrigins =
            reader.names(.allowedOrigins, "an origin such as https://panel.example", ListenerConfiguration.isOrigin)
            ?? []
        trustedProxies = reader.trustedProxies()
        isSeedCompatible = reader.isSeedCompatible(listen, trustedProxies)
        usesProxyProtocol = reader.choice(.proxyProtocol, ["on": true, "off": false], default: false)
        if usesProxyProtocol, trustedProxies.isEmpty {
            reader.fault(.proxyProtocol, "needs \(Setting.trustedProxies.rawValue)")
        }
        peerConnections = reader.integer(.peerConnections, in: 1...1_000_000, default: 1000)
        usesIOUring = reader.choice(.ioUring, ["on": true, "off": false], default: true)
        maxBody = reader.bytes(.maxBody, in: 1024...(64 << 20), default: 4 << 20)
        spoolMax = reader.bytes(.spoolMax, in: 0...(1 << 40), default: 1 << 30)
        if spoolMax != 0 && spoolMax < 2 * maxBody {
            reader.fault(.spoolMax, "must be 0, or at least twice \(Setting.maxBody.rawValue)")
        }
        (rateLimit, clientRateLimit) = reader.rateLimits()
        retentionDays = reader.integer(.retentionDays, in: 1...3650, default: 90)
        auditDays = reader.integer(.auditDays, in: 30...3650, default: 365)
        timeZone = reader.timeZone()
        contentPolicy = reader.choice(
            .storeContent,
            ["full": .full, "summary": .summary, "none": .none],
            default: .summary
        )
        (chatMachines, passesSampling, modelAliases) = reader.chats()
        publicURL = reader.publicURL()
        (toolNetworks, toolCAFile) = (reader.toolNetworks(), reader.readableFile(.toolCAFile))
        toolCallbacks = reader.toolCallbacks(publicURL)
        prices = reader.prices()
        pairingNeedsApproval = reader.choice(.pairingApproval, ["on": true, "off": false], default: false)
        appleSignIn = reader.appleSignIn()
        let levels = Dictionary(uniqueKeysWithValues: Logger.Level.allCases.map { ($0.rawValue, $0) })
        logLevel = reader.choice(.logLevel, levels, default: .info)
        logFormat = reader.choice(.logFormat, ["text": .text, "json": .json], default: .text)
        migrationsDirectory = reader.text(.migrationsDirectory)
        postgresBinaries = reader.text(.postgresBinaries)
        postgresUser = reader.text(.postgresUser) ?? "postgres"
        push = reader.push()
        reader.checkTLS(tlsCertificate, tlsKey)
        let paths: [(Setting, String?)] = [
            (.migrationsDirectory, migrationsDirectory), (.postgresBinaries, postgresBinaries),
            (.appleCAFile, appleSignIn?.caFile),
        ]
        for case (let setting, let path?) in paths { reader.checkReadable(setting, path) }
    }
}

extension Configuration {
    /// `nil` if the spool is disabled.
    package var spool: SpoolConfiguration? {
        spoolMax == 0 ? nil : SpoolConfiguration(directory: dataDirectory + "/spool", byteLimit: spoolMax)
    }
}

package struct ConfigurationFaults: Error {
    package var faults: [ConfigurationFault]
}

extension SettingsReader {
    fileprivate mutating func listenAddresses() -> [ListenAddress] {
        var addresses: [ListenAddress] = []
        for text in list(.listen) ?? (wantsSeed ? Self.seedAddresses : ["127.0.0.1:8766"]) {
            do {
                addresses.append(try ListenAddress(parsing: text))
            } catch {
                fault(.listen, "'\(text)': \(error)")
            }
        }
        if addresses.isEmpty && faults.isEmpty { fault(.listen, "contains no address") }
        return addresses
    }

    /// Reads a list of names. An entry that cannot match anything is an error.
    fileprivate mutating func names(_ setting: Setting, _ form: String, _ isName: (String) -> Bool) -> [String]? {
        let names = list(setting)
        for name in names ?? [] where !isName(name) { fault(setting, "'\(name)' is not \(form)") }
        return names
    }

    fileprivate mutating func checkTLS(_ certificate: String?, _ key: String?) {
        guard let certificate, let key else {
            if certificate != nil || key != nil {
                fault(key == nil ? .tlsKey : .tlsCertificate, "certificate and key must both be set")
            }
            return
        }
        let before = faults.count
        checkReadable(.tlsCertificate, certificate)
        checkReadable(.tlsKey, key)
        guard faults.count == before else { return }
        do throws(CertificateFiles.Fault) {
            try CertificateFiles.check(certificate: certificate, key: key)
        } catch {
            switch error {
            case .noCertificate: fault(.tlsCertificate, "'\(certificate)' contains no PEM certificate")
            case .noKey: fault(.tlsKey, "'\(key)' contains no PEM private key, or one with a passphrase")
            case .mismatch: fault(.tlsKey, "the key does not belong to the certificate")
            }
        }
    }

    fileprivate mutating func checkReadable(_ setting: Setting, _ path: String) {
        if !InstalledFiles.canRead(path) { fault(setting, "'\(path)' does not exist or cannot be read") }
    }

    fileprivate mutating func databaseURL() -> String? {
        guard let conninfo = text(.databaseURL) else { return nil }
        do throws(PersistenceError) {
            try PersistenceConfiguration.check(conninfo: conninfo)
        } catch {
            fault(.databaseURL, "\(error)")
        }
        return conninfo
    }

    /// One line of at most 4 KiB. Errors do not quote it.
    fileprivate mutating func databasePassword() -> String? {
        guard let path = text(.databasePasswordFile) else { return nil }
        if text(.databaseURL) == nil { fault(.databasePasswordFile, "needs \(Setting.databaseURL.rawValue)") }
        guard var bytes = InstalledFiles.contents(path, atMost: 4096) else {
            fault(.databasePasswordFile, "'\(path)' cannot be read, or is larger than 4096 bytes")
            return nil
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard let password = String(validating: bytes, as: UTF8.self), !password.isEmpty,
            !bytes.contains(where: { $0 < 0x20 })
        else {
            fault(.databasePasswordFile, "'\(path)' must contain the password as one line of text")
            return nil
        }
        return password
    }

    fileprivate mutating func trustedProxies() -> TrustedProxies {
        if let proxies = TrustedProxies(list(.trustedProxies) ?? []) { return proxies }
        fault(.trustedProxies, "must be networks such as 10.0.0.0/8, addresses, or unix, separated by commas")
        return TrustedProxies()
    }

    fileprivate mutating func publicURL() -> HTTPLocation? {
        guard let text = text(.publicURL) else { return nil }
        if let location = HTTPLocation(text), location.isSecure, !location.path.contains("?") { return location }
        fault(.publicURL, "must be an https address such as https://monitor.example")
        return nil
    }

    fileprivate mutating func toolNetworks() -> IPNetworks {
        if let networks = IPNetworks(list(.toolNetworks) ?? []) { return networks }
        fault(.toolNetworks, "must be networks such as 10.0.0.0/8, or addresses, separated by commas")
        return IPNetworks()
    }

    fileprivate mutating func readableFile(_ setting: Setting) -> String? {
        guard let path = text(setting) else { return nil }
        if !InstalledFiles.canRead(path) { fault(setting, "'\(path)' does not exist or cannot be read") }
        return path
    }

    fileprivate mutating func dataDirectory(environment: [String: String]) -> String {
        if let directory = text(.dataDirectory) { return directory }
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return base + "/claude-monitor" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            fault(.dataDirectory, "must be set, because HOME is not")
            return ""
        }
        return home + "/.local/share/claude-monitor"
    }

    fileprivate mutating func adminToken() -> String? {
        guard let token = text(.adminToken) else { return nil }
        let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if !AdminToken.isStrong(token) || !isPlain {
            fault(.adminToken, "must be at least 32 characters, 8 of them different, printable ASCII without spaces")
        }
        return token
    }
}
