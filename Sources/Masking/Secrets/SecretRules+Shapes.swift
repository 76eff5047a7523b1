extension SecretRules {
    /// Secrets recognized by their structure or their context.
    static let shapes: [SecretRule] = [
        SecretRule(
            family: "Private keys",
            form: .shape(.privateKey),
            example: "-----BEGIN RSA PRIVATE KEY-----\n{b:64}\n{b:64}\n-----END RSA PRIVATE KEY-----",
            counterexample: "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----"
        ),
        SecretRule(
            family: "JSON Web Tokens",
            form: .shape(.jsonWebToken),
            example: "eyJ{a:33}.eyJ{a:60}.{a:43}",
            counterexample: "eyJhbGciOiJIUzI1NiJ9"
        ),
        SecretRule(
            family: "Authorization",
            form: .shape(.bearer),
            example: "Bearer {a:40}",
            counterexample: "Bearer authentication is used"
        ),
        SecretRule(
            family: "Authorization",
            form: .shape(.basic),
            example: "Basic {a:40}==",
            counterexample: "Basic understanding of Swift"
        ),
        SecretRule(
            family: "Passwords in URLs",
            form: .shape(.userInfo),
            example: "postgres://user:{a:20}@host:5432/database",
            counterexample: "https://example.org:8080/a@b"
        ),
        SecretRule(
            family: "Options of commands",
            form: .shape(.userOption),
            example: "curl -u user:{a:20} https://example.org",
            counterexample: "docker run -u 1000:1000 image"
        ),
        SecretRule(
            family: ".netrc",
            form: .shape(.netrc),
            example: "machine example.org login user password {a:20}",
            counterexample: "the login password is asked for"
        ),
        SecretRule(
            family: ".pgpass",
            form: .shape(.pgpass),
            example: "db.example.org:5432:app:user:{a:20}",
            counterexample: "main.swift:120:34:error:unexpected"
        ),
        SecretRule(
            family: "Telegram",
            form: .shape(.telegram),
            example: "1234567890:AA{a:33}",
            counterexample: "12:AABBCC"
        ),
        SecretRule(
            family: "Discord",
            form: .shape(.discord),
            example: "M{a:23}.{a:6}.{a:38}",
            counterexample: "MonitorServerConfiguration.shared.instance"
        ),
        SecretRule(
            family: "Azure",
            form: .shape(.azureClientSecret),
            example: "{a:3}8Q~{a:34}",
            counterexample: "8Q~short"
        ),
    ]
}
