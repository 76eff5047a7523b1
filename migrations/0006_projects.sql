ALTER TABLE workspaces
    ALTER COLUMN machine_id DROP NOT NULL,
    ALTER COLUMN path DROP NOT NULL,
    ADD COLUMN description text,
    ADD COLUMN settings text,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN hidden_at_seq bigint;

COMMENT ON TABLE workspaces IS 'Projects: directories, each on one machine, and those that a person made before any event.';
COMMENT ON COLUMN workspaces.id IS 'ws- and hexadecimal digits: derived from machine and path where both are known.';
COMMENT ON COLUMN workspaces.machine_id IS 'The machine that the directory is on; NULL where a person named none.';
COMMENT ON COLUMN workspaces.path IS 'Absolute path of the project on that machine; NULL where a person named none.';
COMMENT ON COLUMN workspaces.name IS 'For people: the last component of the path, until a person gives another.';
COMMENT ON COLUMN workspaces.created_at IS 'When its first event was committed, or when a person made it.';
COMMENT ON COLUMN workspaces.description IS 'What a person wrote about it.';
COMMENT ON COLUMN workspaces.settings IS 'A JSON object that clients keep here, given out as it is: text, because jsonb would rewrite it.';
COMMENT ON COLUMN workspaces.updated_at IS 'When a person last changed it.';
COMMENT ON COLUMN workspaces.hidden_at_seq IS 'End of the log when a person deleted it: hidden until a session of it has a later event.';
