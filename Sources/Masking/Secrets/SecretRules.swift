/// All masking rules.
enum SecretRules {
    static let all: [SecretRule] = shapes + own + forges + clouds + models + services + commerce + names

    /// The credentials that this server issues. A device's access token is a JSON Web Token.
    static let own: [SecretRule] = [
        .key("Machine key", "cmk_", .token, 16, example: "{a:36}", not: "cmk_short"),
        .key("API key", "cma_", .token, 16, example: "{a:36}", not: "cma_short"),
        .key("Admin token", "cmadm_", .token, 16, example: "{a:43}", not: "cmadm_token"),
        .key("Pairing token", "cmp_", .token, 16, example: "{a:22}", not: "cmp_short"),
        .key("Pairing token of an app", "cdev_p_", .token, 16, example: "{a:22}", not: "cdev_p_short"),
        .key("Refresh token", "cmr_", .token, 16, example: "{a:43}", not: "cmr_token"),
        .key("Sign-in nonce", "cmn_", .token, 16, example: "{a:43}", not: "cmn_nonce"),
    ]
}
