-- When a change or the snapshot of an account was found damaged on the disk. A snapshot of a device that has everything takes its place.
ALTER TABLE sync_logs ADD COLUMN damaged_at INTEGER;
