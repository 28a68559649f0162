-- The request table, its answers, and the narrow tables beside it.
--
-- A status change must be cheap, so it must be a HOT update: no indexed column may change, and a column
-- in an index predicate counts as indexed. `request` therefore has only indexes whose columns never
-- change while it lives (id, job_id, and the content it stands for). What changes on the way and has to
-- be found by it stands in narrow tables of its own: the place in a queue (live_request) and the gateway
-- id (gateway_reference).

CREATE TYPE request_kind AS ENUM ('input_proof', 'public_decrypt', 'user_decrypt');
CREATE TYPE request_variant AS ENUM ('direct', 'delegated', 'unified');
CREATE TYPE request_status AS ENUM ('queued', 'processing', 'tx_in_flight', 'receipt_received',
                                    'completed', 'timed_out', 'failure');

-- Places in queues. Taken in the order of arrival; between batches that overlap, in the order taken.
CREATE SEQUENCE request_ticket_seq AS bigint;

CREATE TABLE request (
    id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,   -- every update finds its row by it
    job_id             uuid NOT NULL,
    kind               request_kind NOT NULL,
    variant            request_variant NOT NULL DEFAULT 'direct',
    status             request_status NOT NULL,
    -- Set once, at the transition that ends the request. live: not ended. dedup: stands for its content.
    live               boolean NOT NULL DEFAULT true,
    dedup              boolean NOT NULL DEFAULT true,
    content_hash       bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    payload            bytea NOT NULL,
    accepted           boolean,
    gateway_id         bytea CHECK (octet_length(gateway_id) = 32),
    tx_hash            bytea CHECK (octet_length(tx_hash) = 32),
    response_tx_hash   bytea CHECK (octet_length(response_tx_hash) = 32),
    error_code         text,
    error_detail       text,
    resolved_threshold integer CHECK (resolved_threshold > 0),
    shares_seen        integer NOT NULL DEFAULT 0,
    ticket             bigint NOT NULL,
    owner              bigint,                                            -- instance.epoch of the claimer
    created_at         timestamptz NOT NULL DEFAULT now(),
    status_at          timestamptz NOT NULL DEFAULT now(),                -- when it entered its status
    CONSTRAINT request_kind_has_status CHECK (kind <> 'input_proof' OR status <> 'queued'),
    CONSTRAINT request_live_until_its_end CHECK
        (live = (status IN ('queued', 'processing', 'tx_in_flight', 'receipt_received'))),
    CONSTRAINT request_stands_for_content_while_live CHECK (dedup OR NOT live)
) WITH (
    -- One batch may move every row of a page, and dead versions are pruned only after its commit: so
    -- there is room for a second version of each, and for the hashes that come in on the way.
    fillfactor = 40,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);
-- Ciphertexts do not compress; what is too large for the row goes out of line as it is, and no status
-- update touches it again.
ALTER TABLE request ALTER COLUMN payload SET STORAGE EXTERNAL;

-- A poll is one read by the public id; unique because it is the name the client holds.
CREATE UNIQUE INDEX request_job_id ON request (job_id);
-- One request stands for one content. This index decides who of many equal posts is the first.
CREATE UNIQUE INDEX request_content ON request (kind, content_hash) WHERE dedup;

-- The requests that have not ended, in the order of their queue. A row comes with its request and goes
-- with the transition that ends it; it moves to the end of the line when its request changes queues.
CREATE TABLE live_request (
    kind       request_kind NOT NULL,
    ticket     bigint NOT NULL,
    request_id bigint NOT NULL,
    -- Claims walk a kind in ticket order; a position is the number of smaller tickets. The request knows
    -- its kind and ticket, so its end finds this row by them.
    PRIMARY KEY (kind, ticket)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- Which request a gateway id belongs to: answers carry nothing else.
CREATE TABLE gateway_reference (
    kind       request_kind NOT NULL,
    gateway_id bytea NOT NULL CHECK (octet_length(gateway_id) = 32),
    request_id bigint NOT NULL,
    -- An answer finds its request; unique, so that no two requests can be given one answer.
    PRIMARY KEY (kind, gateway_id)
);
-- A receipt that a reorg replaced takes its old id away; retention removes it with its request.
CREATE INDEX gateway_reference_by_request ON gateway_reference (request_id);

-- The one answer to an input proof or a public decrypt, kept whether or not its request is ready for it,
-- and left here when it is: copied into the request it would make the row grow out of its page.
CREATE TABLE gateway_answer (
    kind             request_kind NOT NULL CHECK (kind <> 'user_decrypt'),
    gateway_id       bytea NOT NULL CHECK (octet_length(gateway_id) = 32),
    accepted         boolean NOT NULL CHECK (accepted OR kind = 'input_proof'),
    result           bytea NOT NULL,
    response_tx_hash bytea CHECK (octet_length(response_tx_hash) = 32),
    arrived_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The first answer counts; a second one for the same id is dropped here.
    PRIMARY KEY (kind, gateway_id)
);
ALTER TABLE gateway_answer ALTER COLUMN result SET STORAGE EXTERNAL;
-- Answers nobody asked for (no gateway_reference) are removed by age.
CREATE INDEX gateway_answer_by_age ON gateway_answer (arrived_at);

-- Shares of a user decryption, one for each KMS node, kept whether or not the request is ready.
CREATE TABLE kms_share (
    gateway_id       bytea NOT NULL CHECK (octet_length(gateway_id) = 32),
    share_index      integer NOT NULL CHECK (share_index >= 0),
    arrival          bigint GENERATED ALWAYS AS IDENTITY,   -- the order in which shares came
    payload          bytea NOT NULL,
    signature        bytea NOT NULL,
    extra_data       bytea NOT NULL,
    response_tx_hash bytea CHECK (octet_length(response_tx_hash) = 32),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- One share of a node counts once; the shares of a request are counted and read by the prefix.
    PRIMARY KEY (gateway_id, share_index)
);
ALTER TABLE kms_share ALTER COLUMN payload SET STORAGE EXTERNAL;
-- Shares of requests that are not ours are removed by age.
CREATE INDEX kms_share_by_age ON kms_share (created_at);

-- Idempotency-Key of a client: the same key means the same job for a day.
CREATE TABLE idempotency_key (
    client       text NOT NULL,
    key          text NOT NULL,
    request_id   bigint NOT NULL,
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    -- A key means something only for the client that chose it.
    PRIMARY KEY (client, key)
);
-- Keys are forgotten by age.
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);
