ALTER TABLE workspaces ALTER COLUMN updated_at DROP NOT NULL, ALTER COLUMN updated_at DROP DEFAULT;

UPDATE workspaces SET updated_at = NULL WHERE updated_at = created_at AND description IS NULL AND settings IS NULL;

COMMENT ON COLUMN workspaces.updated_at IS
    'When a person last changed it; NULL: nobody has, and it goes when its sessions have gone and nothing of it is left.';
