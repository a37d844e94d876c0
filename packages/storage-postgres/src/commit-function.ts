/** The function of the database that commits (schema.ts makes it). @param schema a name that was checked. */

/**
 * A commit is one call of this function, and with that one transaction and one round trip.
 *
 * Every key is locked by its row, for update or, for a check, for share, in the order of the keys: no two commits wait for
 * each other in a circle. A key that must be absent is held by a row that this transaction inserts: no other transaction sees it, and
 * who wants the same key waits for it. Row locks need rights on the table, so that no other user of the database can take
 * one (advisory locks need none). Each statement has a snapshot of its own under READ COMMITTED; under stricter isolation
 * PostgreSQL answers 40001, and the caller sends the commit again. Nothing here is state of the session.
 *
 * `whole_table`: a stream of checks would let a put of the same key wait for ever, for a row lock has no queue. The table
 * has one.
 */
export const COMMIT_FUNCTION = (schema: string) => `
  CREATE FUNCTION ${schema}.commit_rows(
    kinds text[], keys bytea[], conditions bigint[], new_values bytea[], expiries bigint[],
    logs bytea[], entries bytea[], lock_wait_ms integer, whole_table boolean,
    OUT failed integer[], OUT versions bigint[], OUT positions bigint[]
  ) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog AS $function$
  DECLARE
    stored bigint;
    given bigint;
    is_there boolean;
    holds boolean;
    inserted boolean[] := '{}';
  BEGIN
    PERFORM set_config('lock_timeout', lock_wait_ms::text, true),
      set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true);
    IF whole_table THEN
      LOCK TABLE ${schema}.records IN EXCLUSIVE MODE;
    END IF;
    failed := '{}';
    versions := array_fill(NULL::bigint, ARRAY[cardinality(keys)]);
    FOR place IN 1 .. cardinality(keys) LOOP
      CONTINUE WHEN kinds[place] = 'check' AND conditions[place] = -3;
      LOOP
        stored := NULL;
        is_there := false;
        IF conditions[place] <> -2 THEN
          IF kinds[place] = 'check' THEN
            SELECT r.version INTO stored FROM ${schema}.records r WHERE r.key = keys[place] FOR SHARE;
          ELSE
            SELECT r.version INTO stored FROM ${schema}.records r WHERE r.key = keys[place] FOR UPDATE;
          END IF;
          is_there := FOUND;
          EXIT WHEN is_there OR conditions[place] > -2;
        END IF;
        given := CASE WHEN kinds[place] = 'put' THEN nextval('${schema}.record_version') ELSE 0 END;
        INSERT INTO ${schema}.records (key, value, version, expires_at)
          VALUES (keys[place], coalesce(new_values[place], ''), given, expiries[place]) ON CONFLICT (key) DO NOTHING;
        IF FOUND THEN
          inserted[place] := true;
          IF kinds[place] = 'put' THEN
            versions[place] := given;
          END IF;
          EXIT;
        END IF;
        is_there := true;
        EXIT WHEN conditions[place] = -2;
      END LOOP;
      holds := CASE conditions[place]
        WHEN -3 THEN true
        WHEN -2 THEN NOT is_there
        WHEN -1 THEN is_there
        ELSE is_there AND stored = conditions[place]
      END;
      IF NOT holds THEN
        failed := failed || place;
      END IF;
    END LOOP;
    FOR place IN 1 .. cardinality(keys) LOOP
      IF inserted[place] THEN
        IF kinds[place] <> 'put' OR cardinality(failed) > 0 THEN
          DELETE FROM ${schema}.records r WHERE r.key = keys[place];
        END IF;
      ELSIF cardinality(failed) > 0 THEN
        CONTINUE;
      ELSIF kinds[place] = 'put' THEN
        UPDATE ${schema}.records r
          SET value = new_values[place], version = nextval('${schema}.record_version'), expires_at = expiries[place]
          WHERE r.key = keys[place] RETURNING r.version INTO given;
        versions[place] := given;
      ELSIF kinds[place] = 'delete' THEN
        DELETE FROM ${schema}.records r WHERE r.key = keys[place];
      END IF;
    END LOOP;
    IF cardinality(failed) > 0 THEN
      versions := NULL;
      RETURN;
    END IF;
    FOR place IN 1 .. cardinality(logs) LOOP
      INSERT INTO ${schema}.log_entries (log, value) VALUES (logs[place], entries[place]) RETURNING position INTO given;
      positions[place] := given;
    END LOOP;
  END
  $function$`;

/**
 * What nodes of an earlier version call, whose commits took advisory locks: it commits as the new ones do, so that both can
 * serve one database. Only in a schema that has them.
 */
export const REPLACE_OLDER = (schema: string) => [
  `LOCK TABLE ${schema}.records IN ACCESS EXCLUSIVE MODE`,
  `CREATE OR REPLACE FUNCTION ${schema}.commit_operations(
    locks bigint[], shared boolean[],
    kinds text[], keys bytea[], conditions bigint[], new_values bytea[], expiries bigint[],
    OUT failed integer[], OUT versions bigint[]
  ) LANGUAGE plpgsql VOLATILE AS $function$
  BEGIN
    SELECT c.failed, c.versions INTO failed, versions
      FROM ${schema}.commit_rows(kinds, keys, conditions, new_values, expiries, '{}', '{}', 10000, false) c;
  END
  $function$`,
];
