-- A ledger in PostgreSQL, in a schema of its own. Nobody writes the tables:
-- functions do, one call for a posting, with the rights of whoever made them.
-- What they act on is in the body of the entry, so no two can differ.
CREATE SCHEMA kith_ledger;
SET LOCAL search_path = kith_ledger, pg_temp;

CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO meta VALUES
    ('ledger', encode(substr(sha256(uuid_send(gen_random_uuid()) ||
                                    uuid_send(gen_random_uuid())), 1, 16),
                      'hex')),
    ('schema', '1'),
    ('made_at', to_char(clock_timestamp() AT TIME ZONE 'UTC',
                        'YYYY-MM-DD"T"HH24:MI:SS"Z"'));

-- A cache of the entries: whoever reads a statement follows them again.
CREATE TABLE account (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    unit text NOT NULL,
    adjacency text NOT NULL,
    lim_pure bigint NOT NULL,
    spent_pure bigint NOT NULL DEFAULT 0,
    lim_gauss bigint NOT NULL,
    spent_gauss bigint NOT NULL DEFAULT 0,
    seq bigint NOT NULL DEFAULT 0,
    head text NOT NULL DEFAULT '',
    CHECK (0 <= spent_pure AND spent_pure <= lim_pure),
    CHECK (0 <= spent_gauss AND spent_gauss <= lim_gauss)
);

CREATE TABLE sublimit (
    account bigint NOT NULL REFERENCES account,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('analyst', 'purpose')),
    key text COLLATE "C" NOT NULL,
    lim_pure bigint NOT NULL CHECK (lim_pure >= 0),
    spent_pure bigint NOT NULL DEFAULT 0 CHECK (spent_pure >= 0),
    lim_gauss bigint NOT NULL CHECK (lim_gauss >= 0),
    spent_gauss bigint NOT NULL DEFAULT 0 CHECK (spent_gauss >= 0),
    PRIMARY KEY (account, kind, key)
);

CREATE TABLE entry (
    account bigint NOT NULL REFERENCES account,
    seq bigint NOT NULL,
    kind text NOT NULL,
    at text NOT NULL,
    run text,
    once text,
    body text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (account, seq),
    UNIQUE (run, account, kind),
    UNIQUE (account, once)
);

CREATE FUNCTION entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries are only appended';
END $$;
CREATE TRIGGER entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON entry
    EXECUTE FUNCTION entry_stays();

-- SHA-256 of seven texts, each after its length in 8 bytes (entry.c).
CREATE FUNCTION link_hash(parts text[]) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = kith_ledger, pg_temp AS $$
    SELECT encode(sha256(string_agg(
               int8send(octet_length(bytes)::bigint) || bytes, ''::bytea
               ORDER BY n)), 'hex')
    FROM (SELECT n, convert_to(part, 'UTF8') AS bytes
          FROM unnest(parts) WITH ORDINALITY AS p (part, n)) AS framed $$;

-- A whole number of a body; -1: it is none.
CREATE FUNCTION number_of(body json, key text) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = kith_ledger, pg_temp AS $$
    SELECT CASE WHEN json_typeof(body -> key) = 'number' AND
                     (body ->> key) ~ '^(0|[1-9][0-9]{0,17}|[1-8][0-9]{18})$'
                THEN (body ->> key)::bigint ELSE -1 END $$;

-- What a charge spends: {pure, gauss}; nothing at all if it makes no sense.
CREATE FUNCTION spend_of(body json) RETURNS bigint[]
LANGUAGE sql IMMUTABLE SET search_path = kith_ledger, pg_temp AS $$
    SELECT CASE WHEN number_of(body, 'amount') <= 0 THEN NULL
                WHEN body ->> 'purse' = 'pure'
                THEN ARRAY[number_of(body, 'amount'), 0]
                WHEN body ->> 'purse' = 'gauss'
                THEN ARRAY[0, number_of(body, 'amount')] END $$;

-- Is an account what its entries come to? known: what the caller has followed
-- already, {seq, head, lim_pure, lim_gauss, spent_pure, spent_gauss}; NULL:
-- nothing. Words for what is wrong, '' if nothing is.
CREATE FUNCTION follow(a account, known jsonb) RETURNS text
LANGUAGE plpgsql SET search_path = kith_ledger, pg_temp AS $$
DECLARE
    ledger text := (SELECT value FROM meta WHERE key = 'ledger');
    n bigint := coalesce((known ->> 0)::bigint, 0);
    head text := coalesce(known ->> 1, '');
    lim bigint[] := ARRAY[coalesce((known ->> 2)::bigint, 0),
                          coalesce((known ->> 3)::bigint, 0)];
    spent bigint[] := ARRAY[coalesce((known ->> 4)::bigint, 0),
                            coalesce((known ->> 5)::bigint, 0)];
    e entry;
    b json;
    more bigint[];
BEGIN
    FOR e IN SELECT * FROM entry WHERE account = a.id AND seq > n ORDER BY seq
    LOOP
        n := n + 1;
        IF e.seq <> n THEN
            RETURN format('entry %s: an entry is missing', n);
        END IF;
        head := link_hash(ARRAY['kith-ledger-1', ledger, a.name, n::text, head,
                                e.at, e.body]);
        IF head <> e.hash THEN
            RETURN format('entry %s: its hash is not that of its text after '
                          'the entry before it', n);
        END IF;
        b := e.body::json;
        IF b ->> 'kind' IS DISTINCT FROM e.kind OR
           b ->> 'run' IS DISTINCT FROM e.run OR
           b ->> 'once' IS DISTINCT FROM e.once THEN
            RETURN format('entry %s: its text is not what the store says it '
                          'is', n);
        END IF;
        IF e.kind IN ('charge', 'adopt') THEN
            more := spend_of(b);
            IF more IS NULL OR more[1] > lim[1] - spent[1] OR
               more[2] > lim[2] - spent[2] THEN
                RETURN format('entry %s: a charge beyond the limit', n);
            END IF;
            spent := ARRAY[spent[1] + more[1], spent[2] + more[2]];
        ELSIF e.kind = 'grant' OR (e.kind = 'limit' AND b ->> 'analyst' IS NULL
                                   AND b ->> 'purpose' IS NULL) THEN
            lim := ARRAY[number_of(b, 'limit_pure'),
                         number_of(b, 'limit_gauss')];
        ELSIF e.kind = 'close' THEN
            lim := spent;
        END IF;
    END LOOP;
    IF a.seq <> n OR a.head <> head THEN
        RETURN 'the account ends at another entry than its entries';
    ELSIF lim <> ARRAY[a.lim_pure, a.lim_gauss] THEN
        RETURN 'the account''s limit is not that of its entries';
    ELSIF spent <> ARRAY[a.spent_pure, a.spent_gauss] THEN
        RETURN 'what is spent is not the sum of the entries';
    END IF;
    RETURN '';
END $$;

-- No, and why: nothing is changed. The detail is for the client.
CREATE FUNCTION refuse(kind text, which integer, more json) RETURNS void
LANGUAGE plpgsql SET search_path = kith_ledger, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'kith refuses: %', kind USING ERRCODE = 'KT001',
        DETAIL = json_build_object('kind', kind, 'account', which - 1,
                                   'more', more);
END $$;

-- Spend of the account and of limits inside it, if all of them allow it.
CREATE FUNCTION spend(a account, which integer, b json) RETURNS void
LANGUAGE plpgsql SET search_path = kith_ledger, pg_temp AS $$
DECLARE
    more bigint[] := spend_of(b);
    whose text;
    s sublimit;
BEGIN
    IF more IS NULL THEN
        RAISE EXCEPTION 'a charge without an amount';
    END IF;
    UPDATE account SET spent_pure = spent_pure + more[1],
                       spent_gauss = spent_gauss + more[2]
    WHERE id = a.id AND spent_pure <= lim_pure - more[1]
                    AND spent_gauss <= lim_gauss - more[2];
    IF NOT FOUND THEN
        PERFORM refuse('limit', which, json_build_array(
            '', a.lim_pure, a.lim_gauss, a.spent_pure, a.spent_gauss));
    END IF;
    FOREACH whose IN ARRAY ARRAY['analyst', 'purpose'] LOOP
        UPDATE sublimit SET spent_pure = spent_pure + more[1],
                            spent_gauss = spent_gauss + more[2]
        WHERE account = a.id AND kind = whose AND key = b ->> whose
              AND spent_pure <= lim_pure - more[1]
              AND spent_gauss <= lim_gauss - more[2];
        IF NOT FOUND THEN
            SELECT * INTO s FROM sublimit
            WHERE account = a.id AND kind = whose AND key = b ->> whose;
            IF FOUND THEN
                PERFORM refuse('limit', which, json_build_array(
                    whose, s.lim_pure, s.lim_gauss, s.spent_pure,
                    s.spent_gauss));
            END IF;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION set_limit(a account, which integer, b json) RETURNS void
LANGUAGE plpgsql SET search_path = kith_ledger, pg_temp AS $$
DECLARE
    lim bigint[] := ARRAY[number_of(b, 'limit_pure'),
                          number_of(b, 'limit_gauss')];
BEGIN
    IF b ->> 'kind' = 'close' THEN
        UPDATE account SET lim_pure = spent_pure, lim_gauss = spent_gauss
        WHERE id = a.id;
        RETURN;
    ELSIF b ->> 'analyst' IS NOT NULL OR b ->> 'purpose' IS NOT NULL THEN
        INSERT INTO sublimit (account, kind, key, lim_pure, lim_gauss)
        VALUES (a.id, CASE WHEN b ->> 'analyst' IS NULL THEN 'purpose'
                           ELSE 'analyst' END,
                coalesce(b ->> 'analyst', b ->> 'purpose'), lim[1], lim[2])
        ON CONFLICT (account, kind, key)
        DO UPDATE SET lim_pure = lim[1], lim_gauss = lim[2];
        RETURN;
    END IF;
    IF number_of(b, 'raise') <> 1 AND
       (lim[1] > a.lim_pure OR lim[2] > a.lim_gauss) THEN
        PERFORM refuse('raise', which, NULL);
    ELSIF lim[1] < a.spent_pure OR lim[2] < a.spent_gauss THEN
        PERFORM refuse('spent', which, NULL);
    END IF;
    UPDATE account SET lim_pure = lim[1], lim_gauss = lim[2] WHERE id = a.id;
END $$;

-- One entry in each of some accounts, which are locked in the order given.
-- again: the same call was made before and its answer was lost; if that call
-- came through, its entries are the answer.
CREATE FUNCTION post(p_accounts text[], p_body text, known jsonb,
                     again boolean)
RETURNS TABLE (o_seq bigint, o_hash text, o_lim_pure bigint,
               o_lim_gauss bigint, o_spent_pure bigint, o_spent_gauss bigint)
LANGUAGE plpgsql SET search_path = kith_ledger, pg_temp AS $$
DECLARE
    b json := p_body::json;
    word text := b ->> 'kind';
    now_text text := to_char(clock_timestamp() AT TIME ZONE 'UTC',
                             'YYYY-MM-DD"T"HH24:MI:SS"Z"');
    a account;
    e entry;
    problem text;
BEGIN
    IF (SELECT count(*) <> count(DISTINCT k) FROM json_object_keys(b) AS k) OR
       octet_length(p_body) > 8000 OR cardinality(p_accounts) > 64 THEN
        RAISE EXCEPTION 'this is not the body of an entry';
    END IF;
    FOR i IN 1 .. cardinality(p_accounts) LOOP
        IF word = 'grant' THEN
            INSERT INTO account (name, unit, adjacency, lim_pure, lim_gauss)
            VALUES (p_accounts[i], b ->> 'unit', b ->> 'adjacency',
                    number_of(b, 'limit_pure'), number_of(b, 'limit_gauss'))
            ON CONFLICT (name) DO NOTHING RETURNING * INTO a;
            IF a.id IS NULL THEN
                PERFORM refuse('exists', i, NULL);
            END IF;
        ELSE
            SELECT * INTO a FROM account WHERE name = p_accounts[i] FOR UPDATE;
            IF NOT FOUND THEN
                PERFORM refuse('unknown', i, NULL);
            END IF;
            SELECT * INTO e FROM entry
            WHERE account = a.id AND run = b ->> 'run' AND kind = word;
            IF FOUND AND again AND e.body = p_body THEN
                RETURN QUERY SELECT e.seq, e.hash, NULL::bigint, NULL::bigint,
                                    NULL::bigint, NULL::bigint;
                CONTINUE;
            END IF;
            problem := follow(a, known -> (i - 1));
            IF problem <> '' THEN
                RAISE EXCEPTION '%', problem USING ERRCODE = 'KT002',
                    DETAIL = p_accounts[i];
            END IF;
            IF e.seq IS NOT NULL THEN
                PERFORM refuse('twice', i, NULL);
            END IF;
        END IF;
        IF word IN ('charge', 'adopt') THEN
            IF a.unit IS DISTINCT FROM b ->> 'unit' OR
               a.adjacency IS DISTINCT FROM b ->> 'adjacency' THEN
                PERFORM refuse('terms', i,
                               json_build_array(a.unit, a.adjacency));
            END IF;
            SELECT * INTO e FROM entry
            WHERE account = a.id AND once = b ->> 'once';
            IF FOUND THEN
                PERFORM refuse('once', i, json_build_array(e.seq));
            END IF;
            PERFORM spend(a, i, b);
        ELSIF word IN ('limit', 'close') THEN
            PERFORM set_limit(a, i, b);
        ELSIF word NOT IN ('grant', 'result') THEN
            RAISE EXCEPTION 'an entry of an unknown kind';
        END IF;
        o_seq := a.seq + 1;
        o_hash := link_hash(ARRAY[
            'kith-ledger-1', (SELECT value FROM meta WHERE key = 'ledger'),
            a.name, o_seq::text, a.head, now_text, p_body]);
        INSERT INTO entry (account, seq, kind, at, run, once, body, hash)
        VALUES (a.id, o_seq, word, now_text, b ->> 'run', b ->> 'once', p_body,
                o_hash);
        UPDATE account SET seq = o_seq, head = o_hash WHERE id = a.id
        RETURNING lim_pure, lim_gauss, spent_pure, spent_gauss
        INTO o_lim_pure, o_lim_gauss, o_spent_pure, o_spent_gauss;
        RETURN NEXT;
    END LOOP;
END $$;

-- The three doors. Whoever runs may charge in his own name and record results;
-- everything else is the owner's.
CREATE FUNCTION kith_charge(accounts text[], body text, known jsonb,
                            again boolean)
RETURNS TABLE (seq bigint, hash text, lim_pure bigint, lim_gauss bigint,
               spent_pure bigint, spent_gauss bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = kith_ledger, pg_temp AS $$
BEGIN
    IF body::json ->> 'kind' <> 'charge' OR body::json ->> 'run' IS NULL OR
       body::json ->> 'analyst' IS DISTINCT FROM session_user THEN
        RAISE EXCEPTION 'a charge is of a run, in the name of who logged in';
    END IF;
    RETURN QUERY SELECT * FROM post(accounts, body, known, again);
END $$;

CREATE FUNCTION kith_settle(accounts text[], body text, known jsonb,
                            again boolean)
RETURNS TABLE (seq bigint, hash text, lim_pure bigint, lim_gauss bigint,
               spent_pure bigint, spent_gauss bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = kith_ledger, pg_temp AS $$
BEGIN
    IF body::json ->> 'kind' <> 'result' OR body::json ->> 'run' IS NULL THEN
        RAISE EXCEPTION 'a result is of a run';
    END IF;
    RETURN QUERY SELECT * FROM post(accounts, body, known, again);
END $$;

CREATE FUNCTION kith_govern(accounts text[], body text, known jsonb,
                            again boolean)
RETURNS TABLE (seq bigint, hash text, lim_pure bigint, lim_gauss bigint,
               spent_pure bigint, spent_gauss bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = kith_ledger, pg_temp AS $$
BEGIN
    IF body::json ->> 'kind' NOT IN ('grant', 'limit', 'close', 'adopt') THEN
        RAISE EXCEPTION 'this is for runners: kith_charge, kith_settle';
    END IF;
    RETURN QUERY SELECT * FROM post(accounts, body, known, again);
END $$;

-- Roles are of the whole server: another ledger may have made them.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['kith_owner', 'kith_runner', 'kith_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA kith_ledger FROM PUBLIC;
GRANT USAGE ON SCHEMA kith_ledger TO kith_owner, kith_runner, kith_reader;
GRANT SELECT ON meta TO kith_owner, kith_runner, kith_reader;
GRANT SELECT ON account, sublimit, entry TO kith_owner, kith_reader;
GRANT EXECUTE ON FUNCTION kith_charge, kith_settle TO kith_runner;
GRANT EXECUTE ON FUNCTION kith_govern TO kith_owner;
