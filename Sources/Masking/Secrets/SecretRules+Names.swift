extension SecretRules {
    /// Names whose values are secrets. `unless` lists other words of such names that make them harmless.
    static let names: [SecretRule] = [
        .ending("password", as: "DB_PASSWORD", not: "password: string"),
        .ending("passwd", as: "root.passwd", not: "passwd: string?"),
        .ending("passphrase", as: "key-passphrase", not: "passphrase: null"),
        .ending("passcode", as: "passcode", not: "passcode = None"),
        .ending("secret", as: "clientSecret", not: "secret: Optional"),
        .ending("token", as: "GITHUB_TOKEN", not: "token = getToken()"),
        .ending("authorization", as: "authorization", not: "authorization: undefined"),
        .ending("apikey", as: "X-Api-Key", not: "api_key: str"),
        .ending("accesskey", as: "AWS_SECRET_ACCESS_KEY", not: "accessKey = config.accessKey"),
        .ending("secretkey", as: "secret_key", not: "SECRET_KEY = os.environ[\"SECRET_KEY\"]"),
        .ending("privatekey", as: "privateKey", not: "privateKey = $KEY"),
        .ending("signingkey", as: "signing_key", not: "signing_key: bytes"),
        .ending("encryptionkey", as: "ENCRYPTION_KEY", not: "encryptionKey = loadKey()"),
        .ending("authkey", as: "authkey", not: "authkey: <key>"),
        .ending("masterkey", as: "MASTER_KEY", not: "master_key = null"),
        .ending("credential", as: "credential", not: "credential: Credential"),
        .ending("credentials", as: "credentials", not: "credentials = getCredentials()"),
        .last("key", .random, as: "SERVICE_KEY", not: "primary_key=abcdef0123456789abcdef", unless: keyWords),
        .last("pass", .likely, as: "DB_PASS", not: "tests_pass: 41"),
        .last("pwd", .likely, as: "MYSQL_PWD", not: "PWD=/home/user/app1", unless: ["old"]),
        .last("auth", .random, as: "_auth", not: "needs_auth: true"),
        .last("sig", .random, as: "sig", not: "sig: SIGTERM"),
        .last("signature", .random, as: "X-Amz-Signature", not: "signature: (a, b) -> c"),
        .last("jwt", .random, as: "session_jwt", not: "jwt: JSONWebToken"),
        .last("pat", .random, as: "AZURE_PAT", not: "pat: *.swift"),
        .last("dsn", .random, as: "SENTRY_DSN", not: "dsn: required"),
        SecretRule(
            family: "Cookies",
            form: .lastWord("cookie", .line),
            example: "Cookie: session={a:32}; theme=dark",
            counterexample: "cookie: chocolate"
        ),
        .inner("token", as: "SLACK_TOKEN_PROD", not: "TOKEN_COUNT=12345678abc"),
        .inner("secret", as: "APP_SECRET_V2", not: "secret_name: production1/database"),
        .inner("password", as: "DB_PASSWORD_OLD", not: "password_reset_url=/reset/a1b2c3"),
        .inner("apikey", as: "apikey_live", not: "apikey_header: Header-Name-1"),
    ]

    private static let keyWords = [
        "public", "primary", "foreign", "cache", "sort", "partition", "row", "object", "group", "query", "index",
        "idempotency", "translation", "state", "route", "hot", "short", "unique", "lookup", "search", "event", "map",
        "column", "field", "json", "dict", "hash", "tag", "label", "websocket", "i18n", "locale", "message", "registry",
        "pub", "composite", "natural", "range", "dedup", "dedupe", "react", "item", "node", "issue", "project", "host",
    ]
    fileprivate static let harmless = [
        "count", "counts", "usage", "limit", "limits", "type", "types", "budget", "name", "names", "id", "ids", "url",
        "uri", "endpoint", "path", "file", "expiry", "expires", "expiration", "expired", "at", "ttl", "lifetime",
        "length", "size", "max", "min", "version", "index", "header", "field", "field_name", "required", "valid",
        "status", "kind", "format", "prefix", "suffix", "policy", "provider", "issuer", "manager", "arn", "ref", "rate",
        "cost", "price", "window", "total", "used", "remaining", "color", "reset", "hint", "store", "source", "regex",
        "pattern", "per", "seconds", "ms", "timestamp", "date", "time", "location", "dir", "class", "factory", "test",
        "tests", "spec", "py", "js", "ts", "go", "rs", "swift", "md", "json", "yaml", "yml", "txt", "html", "css",
    ]
}

extension SecretRule {
    fileprivate static func ending(_ ending: String, as name: String, not counterexample: String) -> SecretRule {
        SecretRule(
            family: "Names",
            form: .nameEnding(ending),
            example: name + "={a:24}",
            counterexample: counterexample
        )
    }

    fileprivate static func last(
        _ word: String,
        _ strength: SecretName.Strength,
        as name: String,
        not counterexample: String,
        unless: [String] = []
    ) -> SecretRule {
        SecretRule(
            family: "Names",
            form: .lastWord(word, strength, unless: unless),
            example: name + "={a:32}",
            counterexample: counterexample
        )
    }

    fileprivate static func inner(_ word: String, as name: String, not counterexample: String) -> SecretRule {
        SecretRule(
            family: "Names",
            form: .innerWord(word, unless: SecretRules.harmless),
            example: name + "={a:24}",
            counterexample: counterexample
        )
    }
}
