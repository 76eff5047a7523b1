CREATE TABLE machine_approvals (
    machine_id bigint PRIMARY KEY REFERENCES machines (id) ON DELETE CASCADE,
    at timestamptz NOT NULL,
    report text NOT NULL
);

COMMENT ON TABLE machine_approvals IS 'The approvals file of each machine, as the machine has last reported it. Nothing is decided by it.';
COMMENT ON COLUMN machine_approvals.machine_id IS 'The machine.';
COMMENT ON COLUMN machine_approvals.at IS 'The time at which the server received the report.';
COMMENT ON COLUMN machine_approvals.report IS 'Whether the file exists, its rules with their lines and words, and its first fault if it has one, as JSON.';

COMMENT ON COLUMN devices.name IS 'The name that it gave itself, until a person renames it.';
COMMENT ON COLUMN access_audit.object IS 'What it was about: pairing:ID, device:ID, key:ID, identity:ID; a renaming adds the old and the new name. NULL where it is not known.';
