internal import Persistence

/// SQL of device grants.
enum GrantStatements {
    /// The grants in the rows of `source`, which has the columns capability and machines, in the format of
    /// `Grants(stored:)`.
    private static func text(_ source: String) -> String {
        """
        (SELECT coalesce(string_agg(g.capability || coalesce(':' || array_to_string(g.machines, ','), ''), ' '), '')
            FROM \(source))
        """
    }

    /// The grants of the device `d`.
    static let ofDevice = text("device_grants g WHERE g.device_id = d.id")
    /// The grants that the common table expression `granted` inserted.
    static let ofInserted = text("granted g")

    /// `$1` device, `$2` capability, `$3` machines, `$4` now, `$5` the grantor. Returns no row if the device does not
    /// exist or is revoked.
    static let grant = Statement(
        "grant_capability",
        [.int8, .text, .int8Array, .timestamptz, .text],
        """
        INSERT INTO device_grants (device_id, capability, machines, granted_at, granted_by)
        SELECT id, $2, $3, $4, $5 FROM devices WHERE id = $1 AND revoked_at IS NULL
        ON CONFLICT (device_id, capability) DO UPDATE
            SET machines = excluded.machines, granted_at = excluded.granted_at, granted_by = excluded.granted_by
        RETURNING device_id
        """
    )

    static let withdraw = Statement(
        "withdraw_capability",
        [.int8, .text],
        "DELETE FROM device_grants WHERE device_id = $1 AND capability = $2"
    )
}
