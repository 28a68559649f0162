-- What an operator looks at: the way a request went, which ended badly, which stands for which.

ALTER TABLE request
    -- Nine bytes for each transition: its number in core/lifecycle.h, then microseconds since 1970.
    -- In the row, so that a change of status stays one write of one row, and a HOT one.
    ADD COLUMN trail bytea NOT NULL DEFAULT ''::bytea,
    -- The ended request that an operator submitted anew as this one. Never changed.
    ADD COLUMN resubmits bigint;
-- Room on its page for the way that a row gets longer by.
ALTER TABLE request SET (fillfactor = 36);
-- As what a request was submitted anew. Few rows, and none of them changes it.
CREATE INDEX request_resubmits ON request (resubmits) WHERE resubmits IS NOT NULL;
-- Which requests stood for a content before. `dedup` changes only at a bad end, which is rare.
CREATE INDEX request_former_content ON request (content_hash) WHERE NOT dedup;

-- The requests that timed out or failed. An index on request.status would make every change of
-- status dear; these are few, and each comes once.
CREATE TABLE failed_request (
    request_id bigint PRIMARY KEY,              -- newest first
    kind       request_kind NOT NULL,
    status     request_status NOT NULL,
    error_code text NOT NULL,
    ended_at   timestamptz NOT NULL DEFAULT now()
);
-- Errors by code, of the last hour or day.
CREATE INDEX failed_request_by_end ON failed_request (ended_at);

INSERT INTO failed_request (request_id, kind, status, error_code, ended_at)
SELECT id, kind, status, coalesce(error_code, 'internal'), status_at FROM request
 WHERE status IN ('timed_out', 'failure');
