/** Results are spread over this many tables by the hash of their key, each with its own index. */
const partitions = 16;

const spread = Array.from(
  { length: partitions },
  (_, at) =>
    `CREATE TABLE whetstone.results_${at} PARTITION OF whetstone.results FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${at});`,
).join("\n");

/** The version of these tables. It increases with every change that an older version can't work with. */
export const postgresVersion = 2;

/** A function that drops rows of a run from a table where a condition holds: the numbers of a part at a time. */
const dropRows = (table: string, more: string, condition: string): string => `
CREATE FUNCTION whetstone.drop_${table}(${["_run text", "_after bigint", "_most bigint", more].filter(Boolean).join(", ")})
RETURNS TABLE (last bigint, dropped bigint, bytes bigint) LANGUAGE plpgsql AS $$
DECLARE
  _last bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(x'77686574'::int, 0);
  SELECT max(o.seq) INTO _last FROM (
    SELECT o.seq FROM whetstone.${table} o WHERE o.run = _run AND o.seq > _after ORDER BY o.seq LIMIT _most
  ) o;
  RETURN QUERY WITH gone AS (
    DELETE FROM whetstone.${table} o
    WHERE o.run = _run AND o.seq > _after AND o.seq <= _last AND o.seq < (SELECT h.seq FROM whetstone.head h)
      AND ${condition}
    RETURNING o.sum, pg_column_size(o.body) AS size
  ), total AS (
    SELECT count(*) AS entries, coalesce(sum(g.sum), 0) AS sums, coalesce(sum(g.size), 0)::bigint AS size FROM gone g
  ), noted AS (
    UPDATE whetstone.runs r SET entries = r.entries - t.entries, sums = r.sums - t.sums FROM total t WHERE r.run = _run
  )
  SELECT _last, t.entries, t.size FROM total t;
END $$;`;

/**
 * `results` has the one result of each key and `log` everything else. Bodies are already compressed, and large ones
 * are stored out of line. `head` knows the last number, and `runs` how many rows a run has and who may continue it.
 * `writers` has each writer's last batch, so that a batch sent twice is stored once.
 */
export const postgresSchema = `
CREATE TABLE whetstone.meta (version integer NOT NULL);
INSERT INTO whetstone.meta VALUES (${postgresVersion});
CREATE TABLE whetstone.results (
  seq bigint NOT NULL, sum bigint NOT NULL, key bytea NOT NULL PRIMARY KEY, run text NOT NULL, name text NOT NULL, body bytea NOT NULL
) PARTITION BY HASH (key);
${spread}
ALTER TABLE whetstone.results ALTER body SET STORAGE EXTERNAL;
CREATE INDEX ON whetstone.results (seq);
CREATE INDEX ON whetstone.results (run, seq);

CREATE TABLE whetstone.log (
  seq bigint PRIMARY KEY, sum bigint NOT NULL, kind text NOT NULL, key bytea NOT NULL, run text NOT NULL, name text NOT NULL, body bytea NOT NULL
);
ALTER TABLE whetstone.log ALTER body SET STORAGE EXTERNAL;
CREATE INDEX ON whetstone.log (run, kind, seq);
CREATE INDEX ON whetstone.log (name, seq) WHERE kind = 'event';
CREATE INDEX ON whetstone.log (key) WHERE kind IN ('use', 'duplicate');

CREATE TABLE whetstone.head (seq bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO whetstone.head VALUES (0);
CREATE TABLE whetstone.runs (
  run text PRIMARY KEY, entries bigint NOT NULL, sums numeric NOT NULL, holder uuid
) WITH (fillfactor = 50);
CREATE TABLE whetstone.writers (
  id uuid PRIMARY KEY, number bigint NOT NULL, first bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Batches are numbered one after another, so that no reader ever sees a number before a smaller one. The lock goes with the
-- commit, which does not wait for the disk: \`flush\` does, and there many writers share one wait.
CREATE FUNCTION whetstone.append(
  _writer uuid, _number bigint,
  _kinds text[], _runs text[], _keys bytea[], _names text[], _bodies bytea[], _sums bigint[],
  _held text[], _holders uuid[]
) RETURNS TABLE (first_seq bigint, lost bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  _count bigint := cardinality(_kinds);
  _results bigint := cardinality(array_positions(_kinds, 'result'));
  _won bigint := 0;
  _lost bigint[] := '{}';
  _before bigint;
  _taken text;
  _dropped text;
  _is_new boolean;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(x'77686574'::int, 0);

  SELECT w.first - 1 INTO _before FROM whetstone.writers w WHERE w.id = _writer AND w.number >= _number;
  _is_new := NOT FOUND;
  IF _is_new THEN
    IF cardinality(_held) > 0 THEN
      SELECT h.run INTO _taken FROM unnest(_held, _holders) h (run, holder)
        LEFT JOIN whetstone.runs r ON r.run = h.run WHERE r.holder IS DISTINCT FROM h.holder LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'WS001', MESSAGE = _taken;
      END IF;
    END IF;
    UPDATE whetstone.head SET seq = seq + _count RETURNING seq - _count INTO _before;
    IF _results > 0 THEN
      INSERT INTO whetstone.results (seq, sum, key, run, name, body)
      SELECT _before + b.n, b.sum # (_before + b.n), b.key, b.run, b.name, b.body
      FROM unnest(_kinds, _keys, _runs, _names, _bodies, _sums)
        WITH ORDINALITY b (kind, key, run, name, body, sum, n)
      WHERE b.kind = 'result' ORDER BY b.n
      ON CONFLICT DO NOTHING;
      GET DIAGNOSTICS _won = ROW_COUNT;
    END IF;
    -- what was found before the lock may have been dropped since: the writer brings it again
    IF 'use' = ANY (_kinds) THEN
      SELECT string_agg(encode(b.key, 'hex'), ' ') INTO _dropped FROM unnest(_kinds, _keys) b (kind, key)
      WHERE b.kind = 'use' AND (SELECT r.seq FROM whetstone.results r WHERE r.key = b.key LIMIT 1) IS NULL;
      IF _dropped IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'WS002', MESSAGE = _dropped;
      END IF;
    END IF;
  END IF;

  IF _won < _results THEN
    -- the limit keeps the planner at one look into the index for each key
    SELECT coalesce(array_agg(b.n), '{}') INTO _lost FROM unnest(_kinds, _keys) WITH ORDINALITY b (kind, key, n)
    WHERE b.kind = 'result'
      AND _before + b.n <> (SELECT r.seq FROM whetstone.results r WHERE r.key = b.key LIMIT 1);
  END IF;

  IF _is_new THEN
    IF _won < _count THEN
      INSERT INTO whetstone.log (seq, sum, kind, key, run, name, body)
      SELECT _before + b.n, b.sum # (_before + b.n), CASE b.kind WHEN 'result' THEN 'duplicate' ELSE b.kind END,
        b.key, b.run, b.name, b.body
      FROM unnest(_kinds, _keys, _runs, _names, _bodies, _sums)
        WITH ORDINALITY b (kind, key, run, name, body, sum, n)
      WHERE b.kind <> 'result' OR b.n = ANY (_lost);
    END IF;
    INSERT INTO whetstone.runs AS r (run, entries, sums)
    SELECT b.run, count(*), sum(b.sum # (_before + b.n)) FROM unnest(_runs, _sums) WITH ORDINALITY b (run, sum, n) GROUP BY b.run
    ON CONFLICT (run) DO UPDATE SET entries = r.entries + excluded.entries, sums = r.sums + excluded.sums;
    INSERT INTO whetstone.writers AS w (id, number, first) VALUES (_writer, _number, _before + 1)
    ON CONFLICT (id) DO UPDATE SET number = excluded.number, first = excluded.first, at = excluded.at;
  END IF;
  RETURN QUERY SELECT _before + 1, _lost;
END $$;

-- Everything that was visible before the call is on disk after it. Answers whether that includes the batch.
CREATE FUNCTION whetstone.flush(_writer uuid, _number bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_is_in_recovery() THEN
    IF current_setting('synchronous_commit') = 'off' THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    PERFORM pg_logical_emit_message(true, 'whetstone', '');
  END IF;
  RETURN EXISTS (SELECT FROM whetstone.writers w WHERE w.id = _writer AND w.number >= _number);
END $$;

-- Under the lock of \`append\`: whoever held the run before can write nothing from here on.
CREATE FUNCTION whetstone.take_run(_run text, _holder uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(x'77686574'::int, 0);
  INSERT INTO whetstone.runs AS r (run, entries, sums, holder) VALUES (_run, 0, 0, _holder)
  ON CONFLICT (run) DO UPDATE SET holder = excluded.holder;
END $$;

-- A removed run is dropped in steps under the lock of \`append\`, so that each step sees every row that was written before it. The
-- very last row stays: it shows that nothing is missing after it.
${dropRows("log", "_spared bigint[]", "NOT o.seq = ANY (_spared)")}

-- A result stays while another run uses it, or bought it once more and continued with this one.
${dropRows("results", "", "NOT EXISTS (SELECT FROM whetstone.log l WHERE l.key = o.key AND l.kind IN ('use', 'duplicate') AND l.run <> _run)")}

-- Whoever asks holds the run, so nobody else is about to write to it as its holder.
CREATE FUNCTION whetstone.forget_run(_run text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(x'77686574'::int, 0);
  DELETE FROM whetstone.runs r WHERE r.run = _run AND r.entries = 0;
END $$;
`;
