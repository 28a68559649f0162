-- A key is claimed before its request has a row, so that of two contents under one key the second
-- is told so before anything is taken in.
ALTER TABLE idempotency_key DROP COLUMN request_id, ADD COLUMN job_id uuid;
