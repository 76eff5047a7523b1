/// The configuration files of the cluster. Rewritten at every start, so that a server upgrade updates them.
struct ServerSettings: Sendable {
    let socketDirectory: String
    let logDirectory: String
    /// Bytes of memory of this machine or container.
    let memory: UInt64

    /// The server's settings come first, so an operator's settings after the include take precedence.
    static let mainFile = """
        # monitor.conf is rewritten at every start of monitor-server. Settings of your own go below the include.
        \(include)

        """

    static let include = "include = 'monitor.conf'"

    /// Any client of the socket may connect as the superuser. Only the owner and root can reach it: its directory is
    /// 0700.
    static let hostBasedAuthentication = """
        # TYPE  DATABASE     USER            METHOD
        local   all          monitor         trust
        local   monitor      monitor_server  trust
        local   replication  monitor         trust

        """

    /// 256 MB, or an eighth of the memory of a smaller machine; in MB.
    var sharedBuffers: UInt64 {
        min(256, max(16, memory / 8 / 1_048_576))
    }

    /// New write-ahead log segments are not filled with zeros, which takes tens of milliseconds and delays every
    /// commit. Used segments are recycled.
    ///
    /// Log lines contain neither statements nor row values (`terse`, `log_min_error_statement`), because those
    /// contain text that people typed. PostgreSQL limits its log by time only: one file per hour of the day,
    /// truncated when its hour comes again.
    var text: String {
        """
        listen_addresses = ''
        port = \(ClusterLayout.port)
        unix_socket_directories = \(Self.quoted("\"" + socketDirectory + "\""))
        unix_socket_permissions = 0700
        max_connections = 30
        superuser_reserved_connections = 3
        shared_buffers = \(sharedBuffers)MB
        dynamic_shared_memory_type = posix
        jit = off
        min_wal_size = 256MB
        max_wal_size = 2GB
        wal_init_zero = off
        wal_compression = on
        fsync = on
        synchronous_commit = on
        full_page_writes = on
        restart_after_crash = on
        default_toast_compression = lz4
        idle_in_transaction_session_timeout = 60s
        timezone = 'UTC'
        log_timezone = 'UTC'
        lc_messages = 'C'
        logging_collector = on
        log_directory = \(Self.quoted(logDirectory))
        log_filename = 'server-%H.log'
        log_file_mode = 0600
        log_rotation_age = 1h
        log_rotation_size = 0
        log_truncate_on_rotation = on
        log_line_prefix = '%m [%p] '
        log_min_messages = warning
        log_min_error_statement = panic
        log_error_verbosity = terse
        log_checkpoints = off

        """
    }

    /// Quotes a value for a PostgreSQL configuration file.
    static func quoted(_ value: String) -> String {
        var quoted = "'"
        for character in value {
            if character == "'" || character == "\\" { quoted.append(character) }
            quoted.append(character)
        }
        return quoted + "'"
    }
}
