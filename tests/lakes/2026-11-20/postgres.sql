--
-- PostgreSQL database dump
--

\restrict qsJnrGGLaKNkp22YzCNSzL5Tq2tXeOzpaZKjk0cSSrNwECND4v9xMdLZOfnihM2

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: ducklake_column; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_column (
    column_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    table_id bigint,
    column_order bigint,
    column_name character varying,
    column_type character varying,
    initial_default character varying,
    default_value character varying,
    nulls_allowed boolean,
    parent_column bigint,
    default_value_type character varying,
    default_value_dialect character varying
);


--
-- Name: ducklake_column_mapping; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_column_mapping (
    mapping_id bigint,
    table_id bigint,
    type character varying
);


--
-- Name: ducklake_column_tag; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_column_tag (
    table_id bigint,
    column_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    key character varying,
    value character varying
);


--
-- Name: ducklake_data_file; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_data_file (
    data_file_id bigint NOT NULL,
    table_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    file_order bigint,
    path character varying,
    path_is_relative boolean,
    file_format character varying,
    record_count bigint,
    file_size_bytes bigint,
    footer_size bigint,
    row_id_start bigint,
    partition_id bigint,
    encryption_key character varying,
    mapping_id bigint,
    partial_max bigint
);


--
-- Name: ducklake_delete_file; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_delete_file (
    delete_file_id bigint NOT NULL,
    table_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    data_file_id bigint,
    path character varying,
    path_is_relative boolean,
    format character varying,
    delete_count bigint,
    file_size_bytes bigint,
    footer_size bigint,
    encryption_key character varying,
    partial_max bigint
);


--
-- Name: ducklake_file_column_stats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_file_column_stats (
    data_file_id bigint,
    table_id bigint,
    column_id bigint,
    column_size_bytes bigint,
    value_count bigint,
    null_count bigint,
    min_value character varying,
    max_value character varying,
    contains_nan boolean,
    extra_stats character varying
);


--
-- Name: ducklake_file_partition_value; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_file_partition_value (
    data_file_id bigint,
    table_id bigint,
    partition_key_index bigint,
    partition_value character varying
);


--
-- Name: ducklake_file_variant_stats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_file_variant_stats (
    data_file_id bigint,
    table_id bigint,
    column_id bigint,
    variant_path character varying,
    shredded_type character varying,
    column_size_bytes bigint,
    value_count bigint,
    null_count bigint,
    min_value character varying,
    max_value character varying,
    contains_nan boolean,
    extra_stats character varying
);


--
-- Name: ducklake_files_scheduled_for_deletion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_files_scheduled_for_deletion (
    data_file_id bigint,
    path character varying,
    path_is_relative boolean,
    schedule_start timestamp with time zone
);


--
-- Name: ducklake_inlined_data_10_10; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_10_10 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    day character varying,
    orders bigint
);


--
-- Name: ducklake_inlined_data_12_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_12_11 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    region bytea,
    last bytea
);


--
-- Name: ducklake_inlined_data_13_12; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_13_12 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    month character varying
);


--
-- Name: ducklake_inlined_data_14_13; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_14_13 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer
);


--
-- Name: ducklake_inlined_data_14_14; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_14_14 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    name bytea
);


--
-- Name: ducklake_inlined_data_1_1; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_1_1 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    name bytea,
    region bytea
);


--
-- Name: ducklake_inlined_data_2_2; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_2_2 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    customer integer,
    amount numeric(9,2),
    placed_at character varying
);


--
-- Name: ducklake_inlined_data_3_3; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_3_3 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    day character varying
);


--
-- Name: ducklake_inlined_data_6_6; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_6_6 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    amount numeric(9,2),
    name bytea,
    region bytea
);


--
-- Name: ducklake_inlined_data_7_7; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_7_7 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    region bytea,
    n bigint,
    total numeric(19,2),
    mean numeric(13,6)
);


--
-- Name: ducklake_inlined_data_8_8; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_8_8 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    customer integer,
    id integer,
    amount numeric(9,2)
);


--
-- Name: ducklake_inlined_data_9_9; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_9_9 (
    row_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    id integer,
    amount numeric(9,2)
);


--
-- Name: ducklake_inlined_data_tables; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_tables (
    table_id bigint,
    table_name character varying,
    schema_version bigint
);


--
-- Name: ducklake_macro; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_macro (
    schema_id bigint,
    macro_id bigint,
    macro_name character varying,
    begin_snapshot bigint,
    end_snapshot bigint
);


--
-- Name: ducklake_macro_impl; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_macro_impl (
    macro_id bigint,
    impl_id bigint,
    dialect character varying,
    sql character varying,
    type character varying
);


--
-- Name: ducklake_macro_parameters; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_macro_parameters (
    macro_id bigint,
    impl_id bigint,
    column_id bigint,
    parameter_name character varying,
    parameter_type character varying,
    default_value character varying,
    default_value_type character varying
);


--
-- Name: ducklake_metadata; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_metadata (
    key character varying NOT NULL,
    value character varying NOT NULL,
    scope character varying,
    scope_id bigint
);


--
-- Name: ducklake_name_mapping; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_name_mapping (
    mapping_id bigint,
    column_id bigint,
    source_name character varying,
    target_field_id bigint,
    parent_column bigint,
    is_partition boolean
);


--
-- Name: ducklake_partition_column; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_partition_column (
    partition_id bigint,
    table_id bigint,
    partition_key_index bigint,
    column_id bigint,
    transform character varying
);


--
-- Name: ducklake_partition_info; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_partition_info (
    partition_id bigint,
    table_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint
);


--
-- Name: ducklake_schema; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_schema (
    schema_id bigint NOT NULL,
    schema_uuid uuid,
    begin_snapshot bigint,
    end_snapshot bigint,
    schema_name character varying,
    path character varying,
    path_is_relative boolean
);


--
-- Name: ducklake_schema_versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_schema_versions (
    begin_snapshot bigint,
    schema_version bigint,
    table_id bigint
);


--
-- Name: ducklake_snapshot; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_snapshot (
    snapshot_id bigint NOT NULL,
    snapshot_time timestamp with time zone,
    schema_version bigint,
    next_catalog_id bigint,
    next_file_id bigint
);


--
-- Name: ducklake_snapshot_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_snapshot_changes (
    snapshot_id bigint NOT NULL,
    changes_made character varying,
    author character varying,
    commit_message character varying,
    commit_extra_info character varying
);


--
-- Name: ducklake_sort_expression; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_sort_expression (
    sort_id bigint,
    table_id bigint,
    sort_key_index bigint,
    expression character varying,
    dialect character varying,
    sort_direction character varying,
    null_order character varying
);


--
-- Name: ducklake_sort_info; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_sort_info (
    sort_id bigint,
    table_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint
);


--
-- Name: ducklake_table; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_table (
    table_id bigint,
    table_uuid uuid,
    begin_snapshot bigint,
    end_snapshot bigint,
    schema_id bigint,
    table_name character varying,
    path character varying,
    path_is_relative boolean
);


--
-- Name: ducklake_table_column_stats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_table_column_stats (
    table_id bigint,
    column_id bigint,
    contains_null boolean,
    contains_nan boolean,
    min_value character varying,
    max_value character varying,
    extra_stats character varying
);


--
-- Name: ducklake_table_stats; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_table_stats (
    table_id bigint,
    record_count bigint,
    next_row_id bigint,
    file_size_bytes bigint
);


--
-- Name: ducklake_tag; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_tag (
    object_id bigint,
    begin_snapshot bigint,
    end_snapshot bigint,
    key character varying,
    value character varying
);


--
-- Name: ducklake_view; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_view (
    view_id bigint,
    view_uuid uuid,
    begin_snapshot bigint,
    end_snapshot bigint,
    schema_id bigint,
    view_name character varying,
    dialect character varying,
    sql character varying,
    column_aliases character varying
);


--
-- Name: headwater_after; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_after (
    table_id bigint NOT NULL,
    after_id bigint NOT NULL,
    place integer NOT NULL,
    schema_name text NOT NULL,
    table_name text NOT NULL
);


--
-- Name: headwater_alert; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_alert (
    table_id bigint NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    opened_at timestamp with time zone NOT NULL
);


--
-- Name: headwater_definition; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_definition (
    table_id bigint NOT NULL,
    version integer NOT NULL,
    statement text NOT NULL,
    dialect text NOT NULL,
    session text NOT NULL,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: headwater_dynamic_table; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_dynamic_table (
    table_id bigint NOT NULL,
    schema_name text NOT NULL,
    table_name text NOT NULL,
    definition_version integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    suspended_at timestamp with time zone,
    suspended_by text,
    suspended_reason text,
    failures integer NOT NULL,
    retry_at timestamp with time zone,
    dropped_at timestamp with time zone,
    dropped_snapshot bigint
);


--
-- Name: headwater_frontier; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_frontier (
    table_id bigint NOT NULL,
    snapshot bigint NOT NULL,
    valid_from bigint NOT NULL,
    lake_snapshot bigint NOT NULL,
    clock_at timestamp with time zone,
    epoch integer NOT NULL,
    definition_version integer NOT NULL,
    identity text NOT NULL,
    refreshed_at timestamp with time zone NOT NULL,
    layout text,
    number bigint,
    created_at timestamp with time zone,
    restored_from bigint,
    own_rows_to bigint
);


--
-- Name: headwater_lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_lease (
    table_id bigint NOT NULL,
    token text,
    holder text,
    expires_at double precision NOT NULL,
    cancelled_by text
);


--
-- Name: headwater_plan; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_plan (
    id text NOT NULL,
    sql text NOT NULL
);


--
-- Name: headwater_refresh; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_refresh (
    id text NOT NULL,
    table_id bigint NOT NULL,
    schema_name text NOT NULL,
    table_name text NOT NULL,
    warehouse text NOT NULL,
    state text NOT NULL,
    trigger text NOT NULL,
    action text,
    strategy text,
    reason text,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    error text,
    suspended_reason text,
    sources text NOT NULL,
    rows_inserted bigint,
    rows_deleted bigint,
    data_snapshot bigint,
    lake_snapshot bigint,
    completion_target timestamp with time zone,
    runs integer NOT NULL,
    profile text,
    plan_id text
);


--
-- Name: headwater_request; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_request (
    id text NOT NULL,
    table_id bigint NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    requested_by text NOT NULL,
    done_at timestamp with time zone,
    refresh_id text
);


--
-- Name: headwater_schema_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_schema_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: headwater_source; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_source (
    table_id bigint NOT NULL,
    source_id bigint NOT NULL,
    schema_name text NOT NULL,
    table_name text NOT NULL
);


--
-- Name: headwater_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_version (
    table_id bigint NOT NULL,
    number bigint NOT NULL,
    valid_from bigint NOT NULL,
    valid_to bigint NOT NULL,
    epoch integer NOT NULL,
    lake_snapshot bigint NOT NULL,
    visible_to bigint,
    created_at timestamp with time zone NOT NULL,
    clock_at timestamp with time zone,
    definition_version integer NOT NULL,
    restored_from bigint,
    identity text NOT NULL,
    layout text
);


--
-- Name: headwater_worker; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.headwater_worker (
    id text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    heartbeat_at double precision NOT NULL,
    doing text,
    warehouses text
);


--
-- Data for Name: ducklake_column; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_column VALUES (1, 1, NULL, 1, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 1, NULL, 1, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (3, 1, NULL, 1, 3, 'region', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 2, NULL, 2, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 2, NULL, 2, 2, 'customer', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (3, 2, NULL, 2, 3, 'amount', 'decimal(9,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (4, 2, NULL, 2, 4, 'placed_at', 'timestamp', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 3, NULL, 3, 1, 'day', 'date', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 9, NULL, 6, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 9, NULL, 6, 2, 'amount', 'decimal(9,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (3, 9, NULL, 6, 3, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (4, 9, NULL, 6, 4, 'region', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 10, NULL, 7, 1, 'region', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 10, NULL, 7, 2, 'n', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (3, 10, NULL, 7, 3, 'total', 'decimal(19,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (4, 10, NULL, 7, 4, 'mean', 'decimal(13,6)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 11, NULL, 8, 1, 'customer', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 11, NULL, 8, 2, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (3, 11, NULL, 8, 3, 'amount', 'decimal(9,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 12, NULL, 9, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 12, NULL, 9, 2, 'amount', 'decimal(9,2)', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 13, NULL, 10, 1, 'day', 'date', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 13, NULL, 10, 2, 'orders', 'int64', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 14, NULL, 12, 1, 'region', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 14, NULL, 12, 2, 'last', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 15, NULL, 13, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 15, NULL, 13, 2, 'month', 'timestamp', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (1, 16, NULL, 14, 1, 'id', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb');
INSERT INTO public.ducklake_column VALUES (2, 27, NULL, 14, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');


--
-- Data for Name: ducklake_column_mapping; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_column_tag; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_data_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_data_file VALUES (7, 10, 13, NULL, NULL, 'day=__HIVE_DEFAULT_PARTITION__/ducklake-01a1f67e-49d6-7a90-9ef1-179d9fb077b1.parquet', true, 'parquet', 1, 472, 292, 0, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (8, 10, 13, NULL, NULL, 'day=2026-01-01/ducklake-01a1f67e-49d7-7205-8d91-179d9fb077b1.parquet', true, 'parquet', 1, 513, 318, 1, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (9, 10, 13, NULL, NULL, 'day=2026-01-02/ducklake-01a1f67e-49e0-7857-811e-179d9fb077b1.parquet', true, 'parquet', 1, 513, 318, 2, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (11, 12, 14, NULL, NULL, 'ducklake-01a1f67e-4ebd-78e8-9c9c-f21b56d9b020.parquet', true, 'parquet', 3, 1005, 583, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (10, 10, 13, 20, NULL, 'day=2026-01-03/ducklake-01a1f67e-49ee-7584-8db1-179d9fb077b1.parquet', true, 'parquet', 1, 513, 318, 3, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (21, 9, 23, NULL, NULL, 'ducklake-01a1f67e-648b-7721-a00e-cefb7bd3b898.parquet', true, 'parquet', 1, 979, 600, 2, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (23, 12, 24, NULL, NULL, 'ducklake-01a1f67e-697e-7592-a825-cdcdda2e422b.parquet', true, 'parquet', 1, 970, 580, 3, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (25, 13, 25, NULL, NULL, 'ducklake-01a1f67e-6b0a-7b7d-bfc7-39026380a464.parquet', true, 'parquet', 1, 1002, 611, 4, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (29, 14, 27, NULL, NULL, 'ducklake-01a1f67e-72d2-722d-8aa9-7a065db4cbb5.parquet', true, 'parquet', 3, 990, 578, 4, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (32, 10, 29, NULL, NULL, 'day=2026-01-04/ducklake-01a1f67e-7b63-7121-accb-988a55650196.parquet', true, 'parquet', 1, 513, 318, 5, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (16, 10, 20, 29, NULL, 'day=2026-01-04/ducklake-01a1f67e-608e-7cdb-9813-84d72949a5ec.parquet', true, 'parquet', 1, 513, 318, 4, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (34, 8, 31, NULL, NULL, 'ducklake-01a1f67e-7d1c-7ba1-9320-e7632bb77f78.parquet', true, 'parquet', 1, 1446, 883, 6, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (36, 7, 32, NULL, NULL, 'ducklake-01a1f67e-8434-7ae2-820d-aca834479fd6.parquet', true, 'parquet', 1, 1492, 892, 5, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (38, 6, 33, NULL, NULL, 'ducklake-01a1f67e-87ba-7849-a149-e65427830c4d.parquet', true, 'parquet', 4, 1686, 971, 11, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (19, 6, 22, 33, NULL, 'ducklake-01a1f67e-637a-7639-837a-bcfd939f0091.parquet', true, 'parquet', 4, 1696, 970, 6, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (33, 6, 30, 33, NULL, 'ducklake-01a1f67e-7cf8-703a-8ba1-35aebab0c541.parquet', true, 'parquet', 1, 1627, 967, 10, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (13, 14, 16, 34, NULL, 'ducklake-01a1f67e-55bd-7a6d-9fae-c088e19e0078.parquet', true, 'parquet', 4, 790, 471, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (39, 14, 34, NULL, NULL, 'ducklake-01a1f67e-8936-7986-bc0a-1096d311a89f.parquet', true, 'parquet', 1, 1204, 739, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (3, 6, 9, 35, NULL, 'ducklake-01a1f67e-3999-7957-9449-39aae6d47a8c.parquet', true, 'parquet', 6, 1721, 974, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (40, 6, 35, NULL, NULL, 'ducklake-01a1f67e-8988-73ec-b2c2-8be7a69fd996.parquet', true, 'parquet', 2, 1920, 1142, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (5, 8, 11, 36, NULL, 'ducklake-01a1f67e-4207-7315-b137-04170f6a3b15.parquet', true, 'parquet', 4, 1517, 887, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (17, 8, 21, 36, NULL, 'ducklake-01a1f67e-6326-775f-afc0-8569a81b7bfc.parquet', true, 'parquet', 2, 1474, 883, 4, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (41, 8, 36, NULL, NULL, 'ducklake-01a1f67e-8a33-745c-9766-97802563ba08.parquet', true, 'parquet', 2, 1743, 1058, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (12, 13, 15, 37, NULL, 'ducklake-01a1f67e-51f7-7c3f-bc0c-c9948a06f3a7.parquet', true, 'parquet', 4, 1030, 613, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (42, 13, 37, NULL, NULL, 'ducklake-01a1f67e-8aa4-76b9-a51e-6bcb5c424b0c.parquet', true, 'parquet', 2, 1295, 786, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (6, 9, 12, 38, NULL, 'ducklake-01a1f67e-4695-7b23-94f6-e3cc9e30c1bc.parquet', true, 'parquet', 2, 995, 600, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (43, 9, 38, NULL, NULL, 'ducklake-01a1f67e-8adf-74b0-b107-dfe606c7e5f4.parquet', true, 'parquet', 1, 1252, 775, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (4, 7, 10, 39, NULL, 'ducklake-01a1f67e-3dbb-7039-8a30-666982e5c8c1.parquet', true, 'parquet', 3, 1559, 899, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (27, 7, 26, 39, NULL, 'ducklake-01a1f67e-6e32-7a72-8536-c26b217240b2.parquet', true, 'parquet', 2, 1529, 892, 3, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (44, 7, 39, NULL, NULL, 'ducklake-01a1f67e-8b0b-77e8-aa21-960bce5a2efe.parquet', true, 'parquet', 2, 1798, 1065, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: ducklake_delete_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_delete_file VALUES (24, 12, 24, NULL, 11, 'ducklake-01a1f67e-6a92-7361-8767-5ebd60ab9cc3-delete.parquet', true, 'parquet', 1, 937, 487, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (30, 14, 27, 34, 13, 'ducklake-01a1f67e-7320-70f8-8587-4d91c067cc63-delete.parquet', true, 'parquet', 3, 960, 491, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (20, 6, 22, 35, 3, 'ducklake-01a1f67e-6488-73f4-b66a-7b6fc6fc73bd-delete.parquet', true, 'parquet', 4, 964, 491, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (18, 8, 21, 36, 5, 'ducklake-01a1f67e-641e-7123-b743-6b151de539ff-delete.parquet', true, 'parquet', 3, 953, 489, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (35, 8, 31, 36, 17, 'ducklake-01a1f67e-7e31-7e9c-8289-ff49382786a9-delete.parquet', true, 'parquet', 1, 940, 489, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (26, 13, 25, 37, 12, 'ducklake-01a1f67e-6ba4-74ea-b0e6-85762dc314fc-delete.parquet', true, 'parquet', 2, 948, 489, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (22, 9, 23, 38, 6, 'ducklake-01a1f67e-64ff-7c9b-b3b1-d51a05e19bf4-delete.parquet', true, 'parquet', 1, 927, 483, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (28, 7, 26, 39, 4, 'ducklake-01a1f67e-6edd-7cd5-88cd-9f9b8a57aa31-delete.parquet', true, 'parquet', 2, 968, 497, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (37, 7, 32, 39, 27, 'ducklake-01a1f67e-844a-73c4-99cd-1d7f0d30ae6d-delete.parquet', true, 'parquet', 1, 960, 497, NULL, NULL);


--
-- Data for Name: ducklake_file_column_stats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_file_column_stats VALUES (3, 6, 1, 66, 6, 0, '1', '5', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (3, 6, 2, 61, 5, 1, '5.00', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (3, 6, 3, 57, 3, 3, 'Ada', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (3, 6, 4, 62, 5, 1, 'north', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (4, 7, 1, 62, 2, 1, 'north', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (4, 7, 2, 66, 3, 0, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (4, 7, 3, 66, 3, 0, '5.00', '30.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (4, 7, 4, 68, 3, 0, '5.000000', '15.250000', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (5, 8, 1, 57, 3, 1, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (5, 8, 2, 61, 4, 0, '2', '5', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (5, 8, 3, 57, 3, 1, '5.00', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (6, 9, 1, 52, 2, 0, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (6, 9, 2, 52, 2, 0, '10.00', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (7, 10, 1, 41, 0, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (7, 10, 2, 52, 1, 0, '1', '1', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (8, 10, 1, 48, 1, 0, '2026-01-01', '2026-01-01', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (8, 10, 2, 52, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (9, 10, 1, 48, 1, 0, '2026-01-02', '2026-01-02', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (9, 10, 2, 52, 1, 0, '1', '1', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (10, 10, 1, 48, 1, 0, '2026-01-03', '2026-01-03', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (10, 10, 2, 52, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (11, 12, 1, 62, 2, 1, 'north', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (11, 12, 2, 64, 3, 0, 'Ada', 'Cy', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (12, 13, 1, 57, 4, 0, '1', '5', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (12, 13, 2, 52, 4, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (13, 14, 1, 57, 3, 1, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (16, 10, 1, 48, 1, 0, '2026-01-04', '2026-01-04', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (16, 10, 2, 52, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 1, 52, 2, 0, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 2, 52, 2, 0, '6', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 3, 52, 2, 0, '1.00', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 6, 1, 61, 4, 0, '1', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 6, 2, 61, 4, 0, '1.00', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 6, 3, 57, 4, 0, 'Ada', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 6, 4, 61, 4, 0, 'south', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (21, 9, 1, 48, 1, 0, '6', '6', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (21, 9, 2, 48, 1, 0, '99.99', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (23, 12, 1, 52, 1, 0, 'west', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (23, 12, 2, 51, 1, 0, 'Ada', 'Ada', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (25, 13, 1, 48, 1, 0, '6', '6', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (25, 13, 2, 52, 1, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (27, 7, 1, 61, 2, 0, 'south', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (27, 7, 2, 60, 2, 0, '2', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (27, 7, 3, 59, 2, 0, '31.50', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (27, 7, 4, 60, 2, 0, '10.500000', '99.990000', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 14, 1, 52, 2, 1, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 14, 2, 64, 3, 0, 'Ada', 'Cy', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (32, 10, 1, 48, 1, 0, '2026-01-04', '2026-01-04', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (32, 10, 2, 52, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 6, 1, 48, 1, 0, '9', '9', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 6, 2, 48, 1, 0, '3.00', '3.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 6, 3, 50, 1, 0, 'Bo', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 6, 4, 53, 1, 0, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (34, 8, 1, 48, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (34, 8, 2, 48, 1, 0, '9', '9', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (34, 8, 3, 48, 1, 0, '3.00', '3.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 7, 1, 53, 1, 0, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 7, 2, 52, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 7, 3, 53, 1, 0, '102.99', '102.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 7, 4, 52, 1, 0, '51.495000', '51.495000', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 6, 1, 57, 4, 0, '1', '5', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 6, 2, 57, 4, 0, '7.25', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 6, 3, 51, 2, 2, 'Ada', 'Ada', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 6, 4, 62, 4, 0, 'north', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 14, 1, 48, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 14, 2, 41, 0, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (40, 6, 1, 52, 2, 0, '3', '4', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (40, 6, 2, 48, 1, 1, '5.00', '5.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (40, 6, 3, 50, 1, 1, 'Bo', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (40, 6, 4, 53, 1, 1, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (41, 8, 1, 48, 1, 1, '1', '1', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (41, 8, 2, 52, 2, 0, '4', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (41, 8, 3, 52, 2, 0, '1.00', '5.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (42, 13, 1, 52, 2, 0, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (42, 13, 2, 52, 2, 0, '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (43, 9, 1, 48, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (43, 9, 2, 48, 1, 0, '20.50', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (44, 7, 1, 52, 1, 1, 'west', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (44, 7, 2, 60, 2, 0, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (44, 7, 3, 59, 2, 0, '5.00', '31.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (44, 7, 4, 60, 2, 0, '5.000000', '10.500000', NULL, NULL);


--
-- Data for Name: ducklake_file_partition_value; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_file_partition_value VALUES (7, 10, 0, NULL);
INSERT INTO public.ducklake_file_partition_value VALUES (8, 10, 0, '2026-01-01');
INSERT INTO public.ducklake_file_partition_value VALUES (9, 10, 0, '2026-01-02');
INSERT INTO public.ducklake_file_partition_value VALUES (10, 10, 0, '2026-01-03');
INSERT INTO public.ducklake_file_partition_value VALUES (16, 10, 0, '2026-01-04');
INSERT INTO public.ducklake_file_partition_value VALUES (32, 10, 0, '2026-01-04');


--
-- Data for Name: ducklake_file_variant_stats; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_files_scheduled_for_deletion; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_10_10; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_12_11; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_13_12; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_14_13; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_14_14; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_1_1; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_1_1 VALUES (2, 5, NULL, 3, NULL, '\x736f757468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (3, 5, NULL, NULL, '\x4379', NULL);
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (0, 18, NULL, 1, '\x416461', '\x77657374');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (0, 5, 18, 1, '\x416461', '\x6e6f727468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (1, 44, NULL, 2, '\x426f62', '\x736f757468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (1, 5, 44, 2, '\x426f', '\x736f757468');


--
-- Data for Name: ducklake_inlined_data_2_2; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_2_2 VALUES (2, 6, NULL, 3, 2, NULL, '2026-01-02 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (3, 6, NULL, 4, NULL, 5.00, NULL);
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (6, 17, NULL, 6, 2, 99.99, '2026-01-04 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (7, 17, NULL, 7, 1, 1.00, '2026-01-04 09:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (4, 6, 19, 5, 3, 7.25, '2026-01-03 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (5, 6, 19, 5, 3, 7.25, '2026-01-03 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (8, 28, NULL, 9, 2, 3.00, '2026-01-04 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (9, 40, NULL, 8, 3, 12.00, '2026-01-05 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (10, 40, NULL, 8, 3, 12.00, '2026-01-05 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (0, 41, NULL, 1, 1, 11.00, '2026-01-01 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (0, 6, 41, 1, 1, 10.00, '2026-01-01 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (1, 6, 42, 2, 1, 20.50, '2026-01-01 09:00:00');


--
-- Data for Name: ducklake_inlined_data_3_3; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_3_3 VALUES (0, 7, NULL, '2026-01-01');
INSERT INTO public.ducklake_inlined_data_3_3 VALUES (1, 43, NULL, '2026-01-02');


--
-- Data for Name: ducklake_inlined_data_6_6; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_7_7; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_8_8; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_9_9; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_tables; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1);
INSERT INTO public.ducklake_inlined_data_tables VALUES (2, 'ducklake_inlined_data_2_2', 2);
INSERT INTO public.ducklake_inlined_data_tables VALUES (3, 'ducklake_inlined_data_3_3', 3);
INSERT INTO public.ducklake_inlined_data_tables VALUES (6, 'ducklake_inlined_data_6_6', 6);
INSERT INTO public.ducklake_inlined_data_tables VALUES (7, 'ducklake_inlined_data_7_7', 7);
INSERT INTO public.ducklake_inlined_data_tables VALUES (8, 'ducklake_inlined_data_8_8', 8);
INSERT INTO public.ducklake_inlined_data_tables VALUES (9, 'ducklake_inlined_data_9_9', 9);
INSERT INTO public.ducklake_inlined_data_tables VALUES (10, 'ducklake_inlined_data_10_10', 10);
INSERT INTO public.ducklake_inlined_data_tables VALUES (12, 'ducklake_inlined_data_12_11', 11);
INSERT INTO public.ducklake_inlined_data_tables VALUES (13, 'ducklake_inlined_data_13_12', 12);
INSERT INTO public.ducklake_inlined_data_tables VALUES (14, 'ducklake_inlined_data_14_13', 13);
INSERT INTO public.ducklake_inlined_data_tables VALUES (14, 'ducklake_inlined_data_14_14', 14);


--
-- Data for Name: ducklake_macro; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_macro_impl; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_macro_parameters; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_metadata; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_metadata VALUES ('version', '1.0', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('created_by', 'Headwater 0.1.0', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('encrypted', 'false', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 6);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 7);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 8);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 9);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 10);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 12);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 13);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 14);
INSERT INTO public.ducklake_metadata VALUES ('data_path', '/var/lib/headwater-lake/data/', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('headwater_lake_id', 'b8ee3648-14f4-4ccc-9cc9-a1d1d299ae75', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('headwater_lake_generation', 'd3935429-785e-43f3-8c02-8ce7cd00e9b6', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('headwater_lake_marker_inode', '65024:1556569:1836377480', NULL, NULL);


--
-- Data for Name: ducklake_name_mapping; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_partition_column; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_partition_column VALUES (11, 10, 0, 1, 'identity');


--
-- Data for Name: ducklake_partition_info; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_partition_info VALUES (11, 10, 13, NULL);


--
-- Data for Name: ducklake_schema; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_schema VALUES (0, 'bc65e7ab-1326-4830-90f3-e04d002b090b', 0, NULL, 'main', 'main/', true);
INSERT INTO public.ducklake_schema VALUES (4, '01a1f67e-3247-7479-94c1-a5dc765bc40a', 4, NULL, 'marts', 'marts/', true);


--
-- Data for Name: ducklake_schema_versions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_schema_versions VALUES (1, 1, 1);
INSERT INTO public.ducklake_schema_versions VALUES (2, 2, 2);
INSERT INTO public.ducklake_schema_versions VALUES (3, 3, 3);
INSERT INTO public.ducklake_schema_versions VALUES (9, 6, 6);
INSERT INTO public.ducklake_schema_versions VALUES (10, 7, 7);
INSERT INTO public.ducklake_schema_versions VALUES (11, 8, 8);
INSERT INTO public.ducklake_schema_versions VALUES (12, 9, 9);
INSERT INTO public.ducklake_schema_versions VALUES (13, 10, 10);
INSERT INTO public.ducklake_schema_versions VALUES (14, 11, 12);
INSERT INTO public.ducklake_schema_versions VALUES (15, 12, 13);
INSERT INTO public.ducklake_schema_versions VALUES (16, 13, 14);
INSERT INTO public.ducklake_schema_versions VALUES (27, 14, 14);


--
-- Data for Name: ducklake_snapshot; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_snapshot VALUES (0, '2026-11-20 01:07:07.769512+00', 0, 1, 0);
INSERT INTO public.ducklake_snapshot VALUES (1, '2026-11-20 01:07:07.921931+00', 1, 2, 0);
INSERT INTO public.ducklake_snapshot VALUES (2, '2026-11-20 01:07:07.941762+00', 2, 3, 0);
INSERT INTO public.ducklake_snapshot VALUES (3, '2026-11-20 01:07:07.957132+00', 3, 4, 0);
INSERT INTO public.ducklake_snapshot VALUES (4, '2026-11-20 01:07:07.972617+00', 4, 5, 0);
INSERT INTO public.ducklake_snapshot VALUES (5, '2026-11-20 01:07:08.69632+00', 4, 5, 1);
INSERT INTO public.ducklake_snapshot VALUES (6, '2026-11-20 01:07:08.724106+00', 4, 5, 2);
INSERT INTO public.ducklake_snapshot VALUES (7, '2026-11-20 01:07:08.747725+00', 4, 5, 3);
INSERT INTO public.ducklake_snapshot VALUES (8, '2026-11-20 01:07:08.768818+00', 5, 6, 3);
INSERT INTO public.ducklake_snapshot VALUES (9, '2026-11-20 01:07:09.885872+00', 6, 7, 4);
INSERT INTO public.ducklake_snapshot VALUES (10, '2026-11-20 01:07:10.934707+00', 7, 8, 5);
INSERT INTO public.ducklake_snapshot VALUES (11, '2026-11-20 01:07:12.045586+00', 8, 9, 6);
INSERT INTO public.ducklake_snapshot VALUES (12, '2026-11-20 01:07:13.202148+00', 9, 10, 7);
INSERT INTO public.ducklake_snapshot VALUES (13, '2026-11-20 01:07:14.129553+00', 10, 12, 11);
INSERT INTO public.ducklake_snapshot VALUES (14, '2026-11-20 01:07:15.317186+00', 11, 13, 12);
INSERT INTO public.ducklake_snapshot VALUES (15, '2026-11-20 01:07:16.217924+00', 12, 14, 13);
INSERT INTO public.ducklake_snapshot VALUES (16, '2026-11-20 01:07:17.248806+00', 13, 15, 14);
INSERT INTO public.ducklake_snapshot VALUES (17, '2026-11-20 01:07:17.34105+00', 13, 15, 15);
INSERT INTO public.ducklake_snapshot VALUES (18, '2026-11-20 01:07:17.404567+00', 13, 15, 16);
INSERT INTO public.ducklake_snapshot VALUES (19, '2026-11-20 01:07:17.463549+00', 13, 15, 16);
INSERT INTO public.ducklake_snapshot VALUES (20, '2026-11-20 01:07:19.967691+00', 13, 15, 17);
INSERT INTO public.ducklake_snapshot VALUES (21, '2026-11-20 01:07:20.55587+00', 13, 15, 19);
INSERT INTO public.ducklake_snapshot VALUES (22, '2026-11-20 01:07:20.632456+00', 13, 15, 21);
INSERT INTO public.ducklake_snapshot VALUES (23, '2026-11-20 01:07:20.879869+00', 13, 15, 23);
INSERT INTO public.ducklake_snapshot VALUES (24, '2026-11-20 01:07:22.181243+00', 13, 15, 25);
INSERT INTO public.ducklake_snapshot VALUES (25, '2026-11-20 01:07:22.560971+00', 13, 15, 27);
INSERT INTO public.ducklake_snapshot VALUES (26, '2026-11-20 01:07:23.466605+00', 13, 15, 29);
INSERT INTO public.ducklake_snapshot VALUES (27, '2026-11-20 01:07:24.539318+00', 14, 15, 31);
INSERT INTO public.ducklake_snapshot VALUES (28, '2026-11-20 01:07:24.679424+00', 14, 15, 32);
INSERT INTO public.ducklake_snapshot VALUES (29, '2026-11-20 01:07:26.711917+00', 14, 15, 33);
INSERT INTO public.ducklake_snapshot VALUES (30, '2026-11-20 01:07:27.159365+00', 14, 15, 34);
INSERT INTO public.ducklake_snapshot VALUES (31, '2026-11-20 01:07:27.184108+00', 14, 15, 36);
INSERT INTO public.ducklake_snapshot VALUES (32, '2026-11-20 01:07:28.958517+00', 14, 15, 38);
INSERT INTO public.ducklake_snapshot VALUES (33, '2026-11-20 01:07:29.96977+00', 14, 15, 39);
INSERT INTO public.ducklake_snapshot VALUES (34, '2026-11-20 01:07:30.231615+00', 14, 15, 40);
INSERT INTO public.ducklake_snapshot VALUES (35, '2026-11-20 01:07:30.313538+00', 14, 15, 41);
INSERT INTO public.ducklake_snapshot VALUES (36, '2026-11-20 01:07:30.484224+00', 14, 15, 42);
INSERT INTO public.ducklake_snapshot VALUES (37, '2026-11-20 01:07:30.596935+00', 14, 15, 43);
INSERT INTO public.ducklake_snapshot VALUES (38, '2026-11-20 01:07:30.656167+00', 14, 15, 44);
INSERT INTO public.ducklake_snapshot VALUES (39, '2026-11-20 01:07:30.700298+00', 14, 15, 45);
INSERT INTO public.ducklake_snapshot VALUES (40, '2026-11-20 01:07:30.750095+00', 14, 15, 46);
INSERT INTO public.ducklake_snapshot VALUES (41, '2026-11-20 01:07:30.781979+00', 14, 15, 47);
INSERT INTO public.ducklake_snapshot VALUES (42, '2026-11-20 01:07:30.846489+00', 14, 15, 47);
INSERT INTO public.ducklake_snapshot VALUES (43, '2026-11-20 01:07:30.889329+00', 14, 15, 48);
INSERT INTO public.ducklake_snapshot VALUES (44, '2026-11-20 01:07:30.902935+00', 14, 15, 49);


--
-- Data for Name: ducklake_snapshot_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_snapshot_changes VALUES (0, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (1, 'created_table:"main"."customers"', NULL, NULL, '{"headwater": {"token": "9aa1057c-2c94-4786-88a9-eb264c1902c3"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (2, 'created_table:"main"."orders"', NULL, NULL, '{"headwater": {"token": "5efa53b3-e7d4-4c4f-8fb4-d68e653ed22c"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (3, 'created_table:"main"."loads"', NULL, NULL, '{"headwater": {"token": "480f6f75-083c-41a7-8ff2-293691093ccc"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (4, 'created_schema:"marts"', NULL, NULL, '{"headwater": {"token": "1a0e5dd3-7dee-403a-9d57-90d0e6c85675"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (5, 'inlined_insert:1', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (6, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (7, 'inlined_insert:3', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (8, 'created_view:"main"."big"', NULL, NULL, '{"headwater": {"token": "47f28fde-9ec1-47fa-9002-0596fd9c855b"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (9, 'created_table:"main"."details",inserted_into_table:6', 'headwater', 'create dynamic table "main"."details"', '{"headwater": {"token": "8b0744d3-d580-44fe-b4d1-4af3dc214e29"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (10, 'created_table:"marts"."by_region",inserted_into_table:7', 'headwater', 'create dynamic table "marts"."by_region"', '{"headwater": {"token": "3fd07100-92be-481f-8463-af74eeae9b10"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (11, 'created_table:"main"."latest",inserted_into_table:8', 'headwater', 'create dynamic table "main"."latest"', '{"headwater": {"token": "9ebb0010-b3c9-4ccc-b63a-2b8313811205"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (12, 'created_table:"main"."top",inserted_into_table:9', 'headwater', 'create dynamic table "main"."top"', '{"headwater": {"token": "08d78910-95b4-46a0-bb08-79b69618d17e"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (13, 'created_table:"main"."daily",inserted_into_table:10', 'headwater', 'create dynamic table "main"."daily"', '{"headwater": {"token": "8a095f8a-9eb0-439b-89c2-ea9ce027fc03"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (14, 'created_table:"main"."whole",inserted_into_table:12', 'headwater', 'create dynamic table "main"."whole"', '{"headwater": {"token": "de184beb-6497-4586-813b-f1251b384c7c"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (15, 'created_table:"main"."quoted",inserted_into_table:13', 'headwater', 'create dynamic table "main"."quoted"', '{"headwater": {"token": "cf5c1536-9729-4d91-99ff-28998cf55adc"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (16, 'created_table:"main"."at_rest",inserted_into_table:14', 'headwater', 'create dynamic table "main"."at_rest"', '{"headwater": {"token": "50f0d196-fa68-4d0b-ae52-1210516b5ff1"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (17, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (18, 'inlined_insert:1,inlined_delete:1', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (19, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (20, 'inserted_into_table:10,deleted_from_table:10', 'headwater', 'refresh "main"."daily" to snapshot 19', '{"headwater": {"token": "f53fa20c-d992-4502-bdcf-1284eb78f3dd"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (21, 'inserted_into_table:8,deleted_from_table:8', 'headwater', 'refresh "main"."latest" to snapshot 19', '{"headwater": {"token": "288f036b-a7b4-477b-8844-9268aedc3250"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (22, 'inserted_into_table:6,deleted_from_table:6', 'headwater', 'refresh "main"."details" to snapshot 19', '{"headwater": {"token": "3617070e-8314-4dfd-8ce1-3e5c6b836fe7"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (23, 'inserted_into_table:9,deleted_from_table:9', 'headwater', 'refresh "main"."top" to snapshot 19', '{"headwater": {"token": "48e428e3-fc8d-42b6-bcfc-4cb2b9e2bdbf"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (24, 'inserted_into_table:12,deleted_from_table:12', 'headwater', 'refresh "main"."whole" to snapshot 19', '{"headwater": {"token": "f42ca970-4a53-4a9c-a696-a71f4894fa85"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (25, 'inserted_into_table:13,deleted_from_table:13', 'headwater', 'refresh "main"."quoted" to snapshot 19', '{"headwater": {"token": "06f7c0c7-fc33-4aae-a87d-f373b38ee8b5"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (26, 'inserted_into_table:7,deleted_from_table:7', 'headwater', 'refresh "marts"."by_region" to snapshot 19', '{"headwater": {"token": "ff8a61f0-107b-4e4a-a1ae-00f403ff7e48"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (27, 'inserted_into_table:14,deleted_from_table:14,altered_table:14', 'headwater', 'refresh "main"."at_rest" to snapshot 26', '{"headwater": {"token": "08bc4e3c-331a-4aef-8e4f-a12da3d7cf53"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (28, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (29, 'inserted_into_table:10,deleted_from_table:10', 'headwater', 'refresh "main"."daily" to snapshot 28', '{"headwater": {"token": "d00b3508-23b1-4687-96e2-55b2cbc44628"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (30, 'inserted_into_table:6', 'headwater', 'refresh "main"."details" to snapshot 28', '{"headwater": {"token": "c75defe6-7603-45d0-8fef-c73e59653764"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (31, 'inserted_into_table:8,deleted_from_table:8', 'headwater', 'refresh "main"."latest" to snapshot 28', '{"headwater": {"token": "5d226990-a3ea-4118-bd25-fe88e4ac8523"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (32, 'inserted_into_table:7,deleted_from_table:7', 'headwater', 'refresh "marts"."by_region" to snapshot 28', '{"headwater": {"token": "a5bfffa8-387d-40c4-a1ee-1f775aa2d0f5"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (33, 'inserted_into_table:6,deleted_from_table:6', 'headwater', 'restore "main"."details" to version 9', '{"headwater": {"token": "f575f098-fd05-414b-b883-6e2c53fdad71"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (34, 'rewrite_delete:14,inline_flush:14', 'headwater', 'compact files of "main"."at_rest"', '{"headwater": {"token": "7d6b1405-a66a-48b8-b023-a0c410176430"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (35, 'rewrite_delete:6,inline_flush:6', 'headwater', 'compact files of "main"."details"', '{"headwater": {"token": "65fcc5f5-95ee-41d1-9d86-b1fe76f7b578"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (36, 'rewrite_delete:8,inline_flush:8', 'headwater', 'compact files of "main"."latest"', '{"headwater": {"token": "5c501493-c31f-4d7c-9b84-f26f17a02057"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (37, 'rewrite_delete:13,inline_flush:13', 'headwater', 'compact files of "main"."quoted"', '{"headwater": {"token": "aa4fd932-c88e-497f-b975-41547c5699be"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (38, 'rewrite_delete:9,inline_flush:9', 'headwater', 'compact files of "main"."top"', '{"headwater": {"token": "47e47ee7-4241-4608-b645-09dd2011f062"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (39, 'rewrite_delete:7,inline_flush:7', 'headwater', 'compact files of "marts"."by_region"', '{"headwater": {"token": "8875352a-88cb-4a1a-b6de-55ed1f24b6b8"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (40, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (41, 'inlined_insert:2,inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (42, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (43, 'inlined_insert:3', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (44, 'inlined_insert:1,inlined_delete:1', NULL, NULL, NULL);


--
-- Data for Name: ducklake_sort_expression; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_sort_info; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_table; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_table VALUES (1, '01a1f67e-3211-7488-a190-a94d6bef900a', 1, NULL, 0, 'customers', 'customers/', true);
INSERT INTO public.ducklake_table VALUES (2, '01a1f67e-3225-7ff3-994f-5e18f7309221', 2, NULL, 0, 'orders', 'orders/', true);
INSERT INTO public.ducklake_table VALUES (3, '01a1f67e-3234-7063-919a-c17578a1515c', 3, NULL, 0, 'loads', 'loads/', true);
INSERT INTO public.ducklake_table VALUES (6, '01a1f67e-3774-7904-b7f2-2371303a4384', 9, NULL, 0, 'details', 'details/', true);
INSERT INTO public.ducklake_table VALUES (7, '01a1f67e-3be3-712b-82cf-33ecb3d1ca83', 10, NULL, 4, 'by_region', 'by_region/', true);
INSERT INTO public.ducklake_table VALUES (8, '01a1f67e-3fe6-7a01-97e4-d50f3a88cd02', 11, NULL, 0, 'latest', 'latest/', true);
INSERT INTO public.ducklake_table VALUES (9, '01a1f67e-45d6-7e8a-89f6-e61b0d692a5c', 12, NULL, 0, 'top', 'top/', true);
INSERT INTO public.ducklake_table VALUES (10, '01a1f67e-480f-7ccf-b7b2-b8c00f77bd04', 13, NULL, 0, 'daily', 'daily/', true);
INSERT INTO public.ducklake_table VALUES (12, '01a1f67e-4d36-7125-9cc4-406111c430fb', 14, NULL, 0, 'whole', 'whole/', true);
INSERT INTO public.ducklake_table VALUES (13, '01a1f67e-50b7-7622-914f-e51040eac30b', 15, NULL, 0, 'quoted', 'quoted/', true);
INSERT INTO public.ducklake_table VALUES (14, '01a1f67e-54ce-7095-925d-291e706f6f92', 16, NULL, 0, 'at_rest', 'at_rest/', true);


--
-- Data for Name: ducklake_table_column_stats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_table_column_stats VALUES (6, 3, true, NULL, 'Ada', 'Bo', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 2, false, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (8, 1, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (12, 2, false, NULL, 'Ada', 'Cy', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (13, 2, false, NULL, '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (14, 1, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (10, 1, true, NULL, '2026-01-01', '2026-01-04', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (8, 3, true, NULL, '1.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 2, true, NULL, '1.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 4, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (9, 1, false, NULL, '1', '6', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (9, 2, false, NULL, '10.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (12, 1, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (13, 1, false, NULL, '1', '6', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 1, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 4, false, NULL, '5.000000', '99.990000', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (14, 2, false, NULL, 'Ada', 'Cy', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (10, 2, false, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 1, false, NULL, '1', '9', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (8, 2, false, NULL, '2', '9', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 3, false, NULL, '5.00', '102.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (2, 1, false, NULL, '1', '9', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (2, 2, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (2, 3, true, NULL, '1.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (2, 4, true, NULL, '2026-01-01 08:00:00', '2026-01-05 08:00:00', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (3, 1, false, NULL, '2026-01-01', '2026-01-02', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (1, 1, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (1, 2, true, NULL, 'Ada', 'Cy', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (1, 3, true, NULL, 'north', 'west', NULL);


--
-- Data for Name: ducklake_table_stats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_table_stats VALUES (12, 4, 4, 1975);
INSERT INTO public.ducklake_table_stats VALUES (10, 6, 6, 3037);
INSERT INTO public.ducklake_table_stats VALUES (14, 4, 7, 2194);
INSERT INTO public.ducklake_table_stats VALUES (6, 11, 15, 6929);
INSERT INTO public.ducklake_table_stats VALUES (8, 3, 7, 3189);
INSERT INTO public.ducklake_table_stats VALUES (13, 3, 5, 2297);
INSERT INTO public.ducklake_table_stats VALUES (9, 2, 3, 2231);
INSERT INTO public.ducklake_table_stats VALUES (7, 3, 6, 3290);
INSERT INTO public.ducklake_table_stats VALUES (2, 12, 11, 0);
INSERT INTO public.ducklake_table_stats VALUES (3, 2, 2, 0);
INSERT INTO public.ducklake_table_stats VALUES (1, 6, 4, 0);


--
-- Data for Name: ducklake_tag; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_view; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_view VALUES (5, '19fbf010-f594-419c-b7bc-8c1ff80e91b4', 8, NULL, 0, 'big', 'duckdb', 'SELECT * FROM orders WHERE amount > 6', '');


--
-- Data for Name: headwater_after; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_after VALUES (10, 3, 0, 'main', 'loads');


--
-- Data for Name: headwater_alert; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: headwater_definition; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_definition VALUES (6, 1, 'CREATE DYNAMIC TABLE "details"
TARGET_LAG = ''5 minutes''
AS
SELECT o.id, o.amount, c.name, c.region FROM orders o LEFT JOIN customers c ON o.customer = c.id', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:08.900704+00');
INSERT INTO public.headwater_definition VALUES (7, 1, 'CREATE DYNAMIC TABLE "marts"."by_region"
TARGET_LAG = ''10 minutes''
WAREHOUSE = "default"
AS
SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM details GROUP BY region', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:10.112843+00');
INSERT INTO public.headwater_definition VALUES (8, 1, 'CREATE DYNAMIC TABLE "latest"
TARGET_LAG = DOWNSTREAM
AS
SELECT customer, id, amount FROM ( SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC) AS rank FROM orders) WHERE rank = 1', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:11.141666+00');
INSERT INTO public.headwater_definition VALUES (9, 1, 'CREATE DYNAMIC TABLE "top"
TARGET_LAG = ''1 hour''
AS
SELECT id, amount FROM big ORDER BY amount DESC, id LIMIT 2', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:12.247263+00');
INSERT INTO public.headwater_definition VALUES (10, 1, 'CREATE DYNAMIC TABLE "daily"
REFRESH INTERVAL 1 HOUR
AFTER = ''"loads"''
PARTITIONED BY ("day")
AS
SELECT CAST(placed_at AS DATE) AS day, count(*) AS orders FROM orders GROUP BY 1', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:13.325762+00');
INSERT INTO public.headwater_definition VALUES (12, 1, 'CREATE DYNAMIC TABLE "whole"
TARGET_LAG = ''1 hour''
REFRESH_MODE = FULL
AS
SELECT region, max(name) AS last FROM customers GROUP BY region', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:14.448974+00');
INSERT INTO public.headwater_definition VALUES (13, 1, 'CREATE DYNAMIC TABLE "quoted"
TARGET_LAG = ''1 hour''
AS
SELECT "id", date_trunc(''MONTH'', "placed_at") AS "month" FROM "orders" WHERE "amount" > 6', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:15.540631+00');
INSERT INTO public.headwater_definition VALUES (14, 1, 'CREATE DYNAMIC TABLE "at_rest"
TARGET_LAG = ''1 hour''
AS
SELECT id FROM customers', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:16.518214+00');
INSERT INTO public.headwater_definition VALUES (14, 2, 'CREATE DYNAMIC TABLE "main"."at_rest"
TARGET_LAG = ''1 hour''
AS
SELECT id, name FROM customers', 'duckdb', '{"spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-20 01:07:24.598377+00');


--
-- Data for Name: headwater_dynamic_table; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_dynamic_table VALUES (7, 'marts', 'by_region', 1, '2026-11-20 01:07:10.112843+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (8, 'main', 'latest', 1, '2026-11-20 01:07:11.141666+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (9, 'main', 'top', 1, '2026-11-20 01:07:12.247263+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (10, 'main', 'daily', 1, '2026-11-20 01:07:13.325762+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (12, 'main', 'whole', 1, '2026-11-20 01:07:14.448974+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (13, 'main', 'quoted', 1, '2026-11-20 01:07:15.540631+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (14, 'main', 'at_rest', 2, '2026-11-20 01:07:16.518214+00', '2026-11-20 01:07:24.657043+00', 'PERSON', 'suspended by a user', 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (6, 'main', 'details', 1, '2026-11-20 01:07:08.900704+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);


--
-- Data for Name: headwater_frontier; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_frontier VALUES (13, 19, 19, 25, NULL, 1, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '2026-11-20 01:07:22.614434+00', '{"plan": "0e7f7ebb702d893e6e875502309784afb1be7ac5a4cf3a5c93cb06593fc4ef5e", "types": {"id": "int32", "month": "timestamp"}, "mark": 14, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}', 25, '2026-11-20 01:07:22.614434+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (9, 28, 28, 23, NULL, 1, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}', '2026-11-20 01:07:27.526916+00', '{"plan": "f12718be34e1e48367e72bcaf922513d2842cb7c60be57161cd81f2cc052865e", "types": {"id": "int32", "amount": "decimal(9,2)"}, "mark": 11, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}', 23, '2026-11-20 01:07:20.895703+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (7, 28, 28, 32, NULL, 1, 1, '{"read": {"6": 30}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}', '2026-11-20 01:07:28.965983+00', '{"plan": "b0be552e1b05f77c6fd0bfb7d9bd08e1d03e50a61cfd81b381e416101a7d15e3", "types": {"region": "varchar", "n": "int64", "total": "decimal(19,2)", "mean": "decimal(13,6)", "amount": "decimal(9,2)"}, "mark": 9, "state": [["_hw_count_2", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}', 32, '2026-11-20 01:07:28.965983+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (6, 9, 8, 33, NULL, 2, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}', '2026-11-20 01:07:30.013488+00', '{"plan": "064b6a6fd11120ba2e39e12e1da04e6e2dc994a6838c5cafee0d71f870aba40a", "types": {"id": "int32", "amount": "decimal(9,2)", "name": "varchar", "region": "varchar"}, "mark": 8, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_rowid_2", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}', 33, '2026-11-20 01:07:30.013488+00', 9, NULL);
INSERT INTO public.headwater_frontier VALUES (14, 26, 26, 27, NULL, 1, 2, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"]]}, "views": {}}', '2026-11-20 01:07:24.558284+00', '{"plan": "c6f680e62fdd00e2c50816b8c4d6516b798cc9f1930ecfca65595afe9d289488", "types": {"id": "int32", "name": "varchar"}, "mark": 15, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}', 27, '2026-11-20 01:07:24.558284+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (10, 28, 28, 29, NULL, 1, 1, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}', '2026-11-20 01:07:26.745596+00', '{"plan": "04f9522034e40212ce572500224d8dd05fb6ca1b021aad1a7d72639ead33ac71", "types": {"day": "date", "orders": "int64"}, "mark": 12, "state": []}', 29, '2026-11-20 01:07:26.745596+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (12, 28, 19, 24, NULL, 1, 1, '{"read": {}, "tables": {"1": [[2, "varchar", null, "name"], [3, "varchar", null, "region"]]}, "views": {}}', '2026-11-20 01:07:27.142014+00', '{"plan": "2f195d01050fca16c6ef9c88f94401b944b170087e4e56d69cca9d9b9ad43fb5", "types": {"region": "varchar", "last": "varchar", "name": "varchar"}, "mark": 13, "state": [["_hw_count_0", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}', 24, '2026-11-20 01:07:22.26672+00', NULL, NULL);
INSERT INTO public.headwater_frontier VALUES (8, 28, 28, 31, NULL, 1, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '2026-11-20 01:07:27.344099+00', '{"plan": "5925187a5fd1c0d34aa799ce0e14a4d2b5dd665cc1631646ad5b1c353cbc1e60", "types": {"customer": "int32", "id": "int32", "amount": "decimal(9,2)", "placed_at": "timestamp"}, "mark": 10, "state": [["_hw_placed_at", "timestamp", 1500000100], ["_hw_rowid_1", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}', 31, '2026-11-20 01:07:27.344099+00', NULL, NULL);


--
-- Data for Name: headwater_lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_lease VALUES (12, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (10, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (14, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (6, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (8, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (13, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (9, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (7, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (0, NULL, NULL, 0, NULL);


--
-- Data for Name: headwater_plan; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_plan VALUES ('2e31f83de1b2023539cdefb634b58106', '-- hw_source_1: "main"."orders"
-- hw_source_2: "main"."customers"
SELECT o.id, o.amount, c.name, c.region FROM `hw_source_1` o LEFT JOIN `hw_source_2` c ON o.customer = c.id');
INSERT INTO public.headwater_plan VALUES ('39ce97a48849ccc6d08dae77120145f9', '-- hw_source_1: "main"."details"
SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM `hw_source_1` AS `details` GROUP BY region');
INSERT INTO public.headwater_plan VALUES ('6113daf4b0bd138254ac4ea90e0a2b00', '-- hw_source_1: "main"."orders"
SELECT customer, id, amount FROM ( SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC) AS rank FROM `hw_source_1` AS `orders`) WHERE rank = 1');
INSERT INTO public.headwater_plan VALUES ('1339b3e3138b0af6cc5cc9b9e3bc5c81', '-- hw_source_1: "main"."orders"
SELECT id, amount FROM (SELECT * FROM `hw_source_1` AS `orders` WHERE amount > 6) AS `big` ORDER BY amount DESC, id LIMIT 2');
INSERT INTO public.headwater_plan VALUES ('5ac26d89b8c037bb4fadcb7a1871f31e', '-- hw_source_1: "main"."orders"
SELECT CAST(placed_at AS DATE) AS day, count(*) AS orders FROM `hw_source_1` AS `orders` GROUP BY 1');
INSERT INTO public.headwater_plan VALUES ('744f20fc63579a04880eb35ca34f76a1', '-- hw_source_1: "main"."customers"
SELECT region, max(name) AS last FROM `hw_source_1` AS `customers` GROUP BY region');
INSERT INTO public.headwater_plan VALUES ('318e26bbe3ddda556325fbcb8679b9c7', '-- hw_source_1: "main"."orders"
SELECT `id`, CAST(date_trunc(''MONTH'', `placed_at`) AS TIMESTAMP_NTZ) AS `month` FROM `hw_source_1` AS `orders` WHERE `amount` > 6');
INSERT INTO public.headwater_plan VALUES ('c37d5a7abb6b8b6707c373a4b17e976f', '-- hw_source_1: "main"."customers"
SELECT id FROM `hw_source_1` AS `customers`');
INSERT INTO public.headwater_plan VALUES ('022d4066bb363b6f480abd80024935f4', '-- hw_source_1: "main"."customers"
SELECT id, name FROM `hw_source_1` AS `customers`');
INSERT INTO public.headwater_plan VALUES ('ab89187af4c4ebf25ca6ce377da6ec97', '-- hw_source_1_delta: rows inserted into "main"."orders" (__w = 1) and deleted from it (__w = -1)
-- hw_target: this table, with the file and position of each row

-- hw_partial_1: net change of each group
SELECT
  day,
  COALESCE(COUNT(*) FILTER(WHERE
    __w > 0), 0) - COALESCE(COUNT(*) FILTER(WHERE
    __w < 0), 0) AS __came_orders
FROM (
  SELECT
    CAST(placed_at AS DATE) AS day,
    __w
  FROM (
    SELECT
      `placed_at` AS placed_at,
      `__w` AS __w
    FROM hw_source_1_delta
  ) AS t
) AS t
GROUP BY
  day;

-- hw_held_2: stored rows of these groups
SELECT
  __held_day,
  __held_orders,
  __hw_file,
  __hw_position
FROM (
  SELECT
    `day` AS __held_day,
    `orders` AS __held_orders,
    `__hw_file` AS __hw_file,
    `__hw_position` AS __hw_position
  FROM hw_target
) AS l
LEFT SEMI JOIN (
  SELECT
    `day` AS __k_day
  FROM hw_partial_1
) AS r
  ON __held_day IS NOT DISTINCT FROM __k_day;

-- rows to insert
SELECT
  day,
  orders
FROM (
  SELECT
    day,
    CASE
      WHEN COALESCE(__held_orders, 0) + __came_orders < 0
      THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
      ELSE COALESCE(__held_orders, 0) + __came_orders
    END AS orders,
    (
      CASE
        WHEN COALESCE(__held_orders, 0) + __came_orders < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held_orders, 0) + __came_orders
      END
    ) IS NOT DISTINCT FROM __held_orders AS __same,
    __hw_file,
    __hw_position
  FROM (
    SELECT
      day,
      __came_orders,
      __held_day,
      __held_orders,
      __hw_file,
      __hw_position
    FROM (
      SELECT
        `day` AS day,
        `__came_orders` AS __came_orders
      FROM hw_partial_1
    ) AS l
    LEFT JOIN (
      SELECT
        `__held_day` AS __held_day,
        `__held_orders` AS __held_orders,
        `__hw_file` AS __hw_file,
        `__hw_position` AS __hw_position
      FROM hw_held_2
    ) AS r
      ON day IS NOT DISTINCT FROM __held_day
  ) AS t
) AS t
WHERE
  orders > 0 AND NOT __same;

-- positions of the rows to delete
SELECT
  __hw_file,
  __hw_position
FROM (
  SELECT
    day,
    CASE
      WHEN COALESCE(__held_orders, 0) + __came_orders < 0
      THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
      ELSE COALESCE(__held_orders, 0) + __came_orders
    END AS orders,
    (
      CASE
        WHEN COALESCE(__held_orders, 0) + __came_orders < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held_orders, 0) + __came_orders
      END
    ) IS NOT DISTINCT FROM __held_orders AS __same,
    __hw_file,
    __hw_position
  FROM (
    SELECT
      day,
      __came_orders,
      __held_day,
      __held_orders,
      __hw_file,
      __hw_position
    FROM (
      SELECT
        `day` AS day,
        `__came_orders` AS __came_orders
      FROM hw_partial_1
    ) AS l
    LEFT JOIN (
      SELECT
        `__held_day` AS __held_day,
        `__held_orders` AS __held_orders,
        `__hw_file` AS __hw_file,
        `__hw_position` AS __hw_position
      FROM hw_held_2
    ) AS r
      ON day IS NOT DISTINCT FROM __held_day
  ) AS t
) AS t
WHERE
  NOT __hw_position IS NULL AND NOT __same;');
INSERT INTO public.headwater_plan VALUES ('57356d47cced5d04233059a2c0d8ae73', '-- hw_source_1: "main"."orders"
-- hw_source_1_delta: rows inserted into "main"."orders" (__w = 1) and deleted from it (__w = -1)
-- hw_target: this table, with the file and position of each row

-- hw_leading_1: the first row of each key among inserted (__rank = 0), deleted (1) and stored (2) rows, if it changes
SELECT
  customer,
  id,
  amount,
  placed_at,
  __rowid_1,
  __layout,
  __hw_file,
  __hw_position,
  __rank,
  __place,
  __in_file,
  __in_place
FROM (
  SELECT
    customer,
    id,
    amount,
    placed_at,
    __rowid_1,
    __layout,
    __hw_file,
    __hw_position,
    __rank,
    ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC, __rowid_1 ASC, __rank ASC) AS __place,
    MAX(__hw_file) OVER (PARTITION BY customer) AS __in_file,
    MAX(__hw_position) OVER (PARTITION BY customer) AS __in_place
  FROM (
    SELECT
      customer,
      id,
      amount,
      placed_at,
      __rowid_1,
      __layout,
      CAST(NULL AS BIGINT) AS __hw_file,
      CAST(NULL AS BIGINT) AS __hw_position,
      0 AS __rank
    FROM (
      SELECT
        customer,
        id,
        amount,
        placed_at,
        __rowid_1,
        CAST(10 AS BIGINT) AS __layout
      FROM (
        SELECT
          customer,
          id,
          amount,
          placed_at,
          __rowid_1
        FROM (
          SELECT
            id,
            customer,
            amount,
            rank,
            placed_at,
            __rowid_1
          FROM (
            SELECT
              id,
              customer,
              amount,
              placed_at,
              rank,
              __rowid_1
            FROM (
              SELECT
                id,
                customer,
                amount,
                placed_at,
                __rowid_1,
                ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC, __rowid_1 ASC) AS rank
              FROM (
                SELECT
                  id,
                  customer,
                  amount,
                  placed_at,
                  __rowid_1
                FROM (
                  SELECT
                    `id` AS id,
                    `customer` AS customer,
                    `amount` AS amount,
                    `placed_at` AS placed_at,
                    `__hw_rowid` AS __rowid_1,
                    `__w` AS __w
                  FROM hw_source_1_delta
                ) AS t
                WHERE
                  __w > 0
              ) AS t
            ) AS t
          ) AS t
        ) AS t
        WHERE
          rank = 1
      ) AS t
    ) AS t
    UNION ALL
    SELECT
      customer,
      id,
      amount,
      placed_at,
      __rowid_1,
      __layout,
      CAST(NULL AS BIGINT) AS __hw_file,
      CAST(NULL AS BIGINT) AS __hw_position,
      1 AS __rank
    FROM (
      SELECT
        customer,
        id,
        amount,
        placed_at,
        __rowid_1,
        CAST(10 AS BIGINT) AS __layout
      FROM (
        SELECT
          customer,
          id,
          amount,
          placed_at,
          __rowid_1
        FROM (
          SELECT
            id,
            customer,
            amount,
            rank,
            placed_at,
            __rowid_1
          FROM (
            SELECT
              id,
              customer,
              amount,
              placed_at,
              rank,
              __rowid_1
            FROM (
              SELECT
                id,
                customer,
                amount,
                placed_at,
                __rowid_1,
                ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC, __rowid_1 ASC) AS rank
              FROM (
                SELECT
                  id,
                  customer,
                  amount,
                  placed_at,
                  __rowid_1
                FROM (
                  SELECT
                    `id` AS id,
                    `customer` AS customer,
                    `amount` AS amount,
                    `placed_at` AS placed_at,
                    `__hw_rowid` AS __rowid_1,
                    `__w` AS __w
                  FROM hw_source_1_delta
                ) AS t
                WHERE
                  __w < 0
              ) AS t
            ) AS t
          ) AS t
        ) AS t
        WHERE
          rank = 1
      ) AS t
    ) AS t
    UNION ALL
    SELECT
      customer,
      id,
      amount,
      placed_at,
      __rowid_1,
      __layout,
      __hw_file,
      __hw_position,
      2 AS __rank
    FROM (
      SELECT
        customer,
        id,
        amount,
        placed_at,
        __rowid_1,
        __layout,
        __hw_file,
        __hw_position
      FROM (
        SELECT
          `customer` AS customer,
          `id` AS id,
          `amount` AS amount,
          `placed_at` AS placed_at,
          `__rowid_1` AS __rowid_1,
          `__layout` AS __layout,
          `__hw_file` AS __hw_file,
          `__hw_position` AS __hw_position
        FROM hw_target
      ) AS l
      LEFT SEMI JOIN (
        SELECT
          `customer` AS __k_customer
        FROM hw_source_1_delta
      ) AS r
        ON customer IS NOT DISTINCT FROM __k_customer
    ) AS t
  ) AS t
) AS t
WHERE
  __place = 1 AND __rank <> 2;

-- hw_again_2: groups to recompute: their minimum, maximum or latest row was deleted
SELECT
  customer
FROM (
  SELECT
    `customer` AS customer,
    `id` AS id,
    `amount` AS amount,
    `placed_at` AS placed_at,
    `__rowid_1` AS __rowid_1,
    `__layout` AS __layout,
    `__hw_file` AS __hw_file,
    `__hw_position` AS __hw_position,
    `__rank` AS __rank,
    `__place` AS __place,
    `__in_file` AS __in_file,
    `__in_place` AS __in_place
  FROM hw_leading_1
) AS t
WHERE
  __rank = 1;

-- rows to insert
SELECT
  customer,
  id,
  amount,
  placed_at,
  __rowid_1,
  __layout
FROM (
  SELECT
    `customer` AS customer,
    `id` AS id,
    `amount` AS amount,
    `placed_at` AS placed_at,
    `__rowid_1` AS __rowid_1,
    `__layout` AS __layout,
    `__hw_file` AS __hw_file,
    `__hw_position` AS __hw_position,
    `__rank` AS __rank,
    `__place` AS __place,
    `__in_file` AS __in_file,
    `__in_place` AS __in_place
  FROM hw_leading_1
) AS t
WHERE
  __rank = 0
UNION ALL
SELECT
  customer,
  id,
  amount,
  placed_at,
  __rowid_1,
  CAST(10 AS BIGINT) AS __layout
FROM (
  SELECT
    customer,
    id,
    amount,
    placed_at,
    __rowid_1
  FROM (
    SELECT
      id,
      customer,
      amount,
      rank,
      placed_at,
      __rowid_1
    FROM (
      SELECT
        id,
        customer,
        amount,
        placed_at,
        rank,
        __rowid_1
      FROM (
        SELECT
          id,
          customer,
          amount,
          placed_at,
          __rowid_1,
          ROW_NUMBER() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC, __rowid_1 ASC) AS rank
        FROM (
          SELECT
            id,
            customer,
            amount,
            placed_at,
            __rowid_1
          FROM (
            SELECT
              `id` AS id,
              `customer` AS customer,
              `amount` AS amount,
              `placed_at` AS placed_at,
              `__hw_rowid` AS __rowid_1
            FROM hw_source_1
          ) AS l
          LEFT SEMI JOIN (
            SELECT
              `customer` AS __k_customer
            FROM hw_again_2
          ) AS r
            ON customer IS NOT DISTINCT FROM __k_customer
        ) AS t
      ) AS t
    ) AS t
  ) AS t
  WHERE
    rank = 1
) AS t;

-- positions of the rows to delete
SELECT
  __in_file AS __hw_file,
  __in_place AS __hw_position
FROM (
  SELECT
    `customer` AS customer,
    `id` AS id,
    `amount` AS amount,
    `placed_at` AS placed_at,
    `__rowid_1` AS __rowid_1,
    `__layout` AS __layout,
    `__hw_file` AS __hw_file,
    `__hw_position` AS __hw_position,
    `__rank` AS __rank,
    `__place` AS __place,
    `__in_file` AS __in_file,
    `__in_place` AS __in_place
  FROM hw_leading_1
) AS t
WHERE
  NOT __in_place IS NULL;');
INSERT INTO public.headwater_plan VALUES ('d336e2e780a4e6abf5a3bdc7539c90be', '-- hw_source_1: "main"."orders"
-- hw_source_1_delta: rows inserted into "main"."orders" (__w = 1) and deleted from it (__w = -1)
-- hw_target: this table, with the file and position of each row

-- hw_moved_1: changed rows
SELECT
  id,
  amount,
  __rowid_1,
  __w
FROM (
  SELECT
    `id` AS id,
    `amount` AS amount,
    `__hw_rowid` AS __rowid_1,
    `__w` AS __w
  FROM hw_source_1_delta
) AS t
WHERE
  amount > 6;

-- hw_went_2: sort keys of the deleted rows
SELECT
  amount,
  id,
  __rowid_1
FROM (
  SELECT
    `id` AS id,
    `amount` AS amount,
    `__rowid_1` AS __rowid_1,
    `__w` AS __w
  FROM hw_moved_1
) AS t
WHERE
  __w < 0;

-- hw_lost_3: those of them that this table has: if any, the whole result is recomputed
SELECT
  amount,
  id,
  __rowid_1
FROM (
  SELECT
    id,
    amount,
    __rowid_1,
    __layout,
    __hw_file,
    __hw_position
  FROM (
    SELECT
      `id` AS id,
      `amount` AS amount,
      `__rowid_1` AS __rowid_1,
      `__layout` AS __layout,
      `__hw_file` AS __hw_file,
      `__hw_position` AS __hw_position
    FROM hw_target
  ) AS l
  LEFT SEMI JOIN (
    SELECT
      `amount` AS __k_amount,
      `id` AS __k_id,
      `__rowid_1` AS __k___rowid_1
    FROM hw_went_2
  ) AS r
    ON amount IS NOT DISTINCT FROM __k_amount
    AND id IS NOT DISTINCT FROM __k_id
    AND __rowid_1 IS NOT DISTINCT FROM __k___rowid_1
) AS t;

-- rows to insert
SELECT
  id,
  amount,
  __rowid_1,
  __layout
FROM (
  SELECT
    id,
    amount,
    __rowid_1,
    __layout
  FROM (
    SELECT
      id,
      amount,
      __rowid_1,
      __layout
    FROM (
      SELECT
        `id` AS id,
        `amount` AS amount,
        `__rowid_1` AS __rowid_1,
        `__layout` AS __layout,
        `__hw_file` AS __hw_file,
        `__hw_position` AS __hw_position
      FROM hw_target
    ) AS t
    UNION ALL
    SELECT
      id,
      amount,
      __rowid_1,
      CAST(11 AS BIGINT) AS __layout
    FROM (
      SELECT
        id,
        amount,
        __rowid_1
      FROM (
        SELECT
          id,
          amount,
          __rowid_1
        FROM (
          SELECT
            `id` AS id,
            `amount` AS amount,
            `__rowid_1` AS __rowid_1,
            `__w` AS __w
          FROM hw_moved_1
        ) AS t
        WHERE
          __w > 0
      ) AS t
    ) AS t
  ) AS t
  ORDER BY
    amount DESC,
    id ASC,
    __rowid_1 ASC
  LIMIT 2
) AS l
LEFT ANTI JOIN (
  SELECT
    1 AS __any
  FROM (
    SELECT
      `amount` AS amount,
      `id` AS id,
      `__rowid_1` AS __rowid_1
    FROM hw_lost_3
  ) AS t
) AS r
  ON TRUE
UNION ALL
SELECT
  id,
  amount,
  __rowid_1,
  CAST(11 AS BIGINT) AS __layout
FROM (
  SELECT
    id,
    amount,
    __rowid_1
  FROM (
    SELECT
      id,
      amount,
      __rowid_1
    FROM (
      SELECT
        id,
        amount,
        __rowid_1
      FROM (
        SELECT
          id,
          amount,
          __rowid_1
        FROM (
          SELECT
            `id` AS id,
            `amount` AS amount,
            `__hw_rowid` AS __rowid_1
          FROM hw_source_1
        ) AS t
        WHERE
          amount > 6
      ) AS l
      LEFT SEMI JOIN (
        SELECT
          1 AS __any
        FROM (
          SELECT
            `amount` AS amount,
            `id` AS id,
            `__rowid_1` AS __rowid_1
          FROM hw_lost_3
        ) AS t
      ) AS r
        ON TRUE
    ) AS t
    ORDER BY
      amount DESC,
      id ASC,
      __rowid_1 ASC
    LIMIT 2
  ) AS t
) AS t;

-- rows to delete, except those that are also inserted
SELECT
  `id` AS id,
  `amount` AS amount,
  `__rowid_1` AS __rowid_1,
  `__layout` AS __layout,
  `__hw_file` AS __hw_file,
  `__hw_position` AS __hw_position
FROM hw_target;');
INSERT INTO public.headwater_plan VALUES ('40f317286ecf7d2f42fdd6b602d4b5c0', '-- hw_source_1_delta: rows inserted into "main"."orders" (__w = 1) and deleted from it (__w = -1)
-- hw_source_2: "main"."customers"

-- rows to insert (__w = 1) and delete (__w = -1), matched by __rowid_1, __rowid_2
SELECT
  id,
  amount,
  name,
  region,
  __rowid_1,
  __rowid_2,
  CAST(8 AS BIGINT) AS __layout,
  __w
FROM (
  SELECT
    id,
    amount,
    name,
    region,
    __rowid_1,
    __rowid_2,
    __w
  FROM (
    SELECT
      id,
      amount,
      name,
      region,
      __rowid_1,
      __rowid_2,
      __w
    FROM (
      SELECT
        id,
        customer,
        amount,
        __rowid_1,
        id_2,
        name,
        region,
        __rowid_2,
        __w
      FROM (
        SELECT
          id,
          customer,
          amount,
          __rowid_1,
          __w,
          id_2,
          name,
          region,
          __rowid_2
        FROM (
          SELECT
            `id` AS id,
            `customer` AS customer,
            `amount` AS amount,
            `__hw_rowid` AS __rowid_1,
            `__w` AS __w
          FROM hw_source_1_delta
        ) AS l
        LEFT JOIN (
          SELECT
            id_2,
            name,
            region,
            __rowid_2
          FROM (
            SELECT
              `id` AS id_2,
              `name` AS name,
              `region` AS region,
              `__hw_rowid` AS __rowid_2
            FROM hw_source_2
          ) AS l
          LEFT SEMI JOIN (
            SELECT
              `customer` AS __k_customer
            FROM hw_source_1_delta
          ) AS r
            ON id_2 IS NOT DISTINCT FROM __k_customer
        ) AS r
          ON customer = id_2
      ) AS t
    ) AS t
  ) AS t
) AS t;');
INSERT INTO public.headwater_plan VALUES ('95204e4f39d1b5a4203932d9680a8252', '-- hw_source_1_delta: rows inserted into "main"."details" (__w = 1) and deleted from it (__w = -1)
-- hw_target: this table, with the file and position of each row

-- hw_partial_1: net change of each group
SELECT
  region,
  COALESCE(COUNT(*) FILTER(WHERE
    __w > 0), 0) - COALESCE(COUNT(*) FILTER(WHERE
    __w < 0), 0) AS __came_n,
  COALESCE(SUM(amount) FILTER(WHERE
    __w > 0), 0) - COALESCE(SUM(amount) FILTER(WHERE
    __w < 0), 0) AS __came_total,
  COALESCE(COUNT(amount) FILTER(WHERE
    __w > 0), 0) - COALESCE(COUNT(amount) FILTER(WHERE
    __w < 0), 0) AS __came___count_2
FROM (
  SELECT
    `amount` AS amount,
    `region` AS region,
    `__w` AS __w
  FROM hw_source_1_delta
) AS t
GROUP BY
  region;

-- hw_held_2: stored rows of these groups
SELECT
  __held_region,
  __held_n,
  __held_total,
  __held___count_2,
  __hw_file,
  __hw_position
FROM (
  SELECT
    `region` AS __held_region,
    `n` AS __held_n,
    `total` AS __held_total,
    `__count_2` AS __held___count_2,
    `__hw_file` AS __hw_file,
    `__hw_position` AS __hw_position
  FROM hw_target
) AS l
LEFT SEMI JOIN (
  SELECT
    `region` AS __k_region
  FROM hw_partial_1
) AS r
  ON __held_region IS NOT DISTINCT FROM __k_region;

-- rows to insert
SELECT
  region,
  n,
  total,
  mean,
  __count_2,
  CAST(9 AS BIGINT) AS __layout
FROM (
  SELECT
    region,
    n,
    total,
    CASE
      WHEN __count_2 > 0
      THEN CAST(CAST(total AS DECIMAL(38, 2)) / __count_2 AS DECIMAL(13, 6))
    END AS mean,
    __count_2
  FROM (
    SELECT
      region,
      CASE
        WHEN COALESCE(__held_n, 0) + __came_n < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held_n, 0) + __came_n
      END AS n,
      CASE
        WHEN COALESCE(__held___count_2, 0) + __came___count_2 > 0
        THEN CAST(COALESCE(__held_total, 0) + __came_total AS DECIMAL(19, 2))
      END AS total,
      CASE
        WHEN COALESCE(__held___count_2, 0) + __came___count_2 < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held___count_2, 0) + __came___count_2
      END AS __count_2,
      (
        CASE
          WHEN COALESCE(__held_n, 0) + __came_n < 0
          THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
          ELSE COALESCE(__held_n, 0) + __came_n
        END
      ) IS NOT DISTINCT FROM __held_n
      AND (
        CASE
          WHEN COALESCE(__held___count_2, 0) + __came___count_2 > 0
          THEN CAST(COALESCE(__held_total, 0) + __came_total AS DECIMAL(19, 2))
        END
      ) IS NOT DISTINCT FROM __held_total
      AND (
        CASE
          WHEN COALESCE(__held___count_2, 0) + __came___count_2 < 0
          THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
          ELSE COALESCE(__held___count_2, 0) + __came___count_2
        END
      ) IS NOT DISTINCT FROM __held___count_2 AS __same,
      __hw_file,
      __hw_position
    FROM (
      SELECT
        region,
        __came_n,
        __came_total,
        __came___count_2,
        __held_region,
        __held_n,
        __held_total,
        __held___count_2,
        __hw_file,
        __hw_position
      FROM (
        SELECT
          `region` AS region,
          `__came_n` AS __came_n,
          `__came_total` AS __came_total,
          `__came___count_2` AS __came___count_2
        FROM hw_partial_1
      ) AS l
      LEFT JOIN (
        SELECT
          `__held_region` AS __held_region,
          `__held_n` AS __held_n,
          `__held_total` AS __held_total,
          `__held___count_2` AS __held___count_2,
          `__hw_file` AS __hw_file,
          `__hw_position` AS __hw_position
        FROM hw_held_2
      ) AS r
        ON region IS NOT DISTINCT FROM __held_region
    ) AS t
  ) AS t
  WHERE
    n > 0 AND NOT __same
) AS t;

-- positions of the rows to delete
SELECT
  __hw_file,
  __hw_position
FROM (
  SELECT
    region,
    CASE
      WHEN COALESCE(__held_n, 0) + __came_n < 0
      THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
      ELSE COALESCE(__held_n, 0) + __came_n
    END AS n,
    CASE
      WHEN COALESCE(__held___count_2, 0) + __came___count_2 > 0
      THEN CAST(COALESCE(__held_total, 0) + __came_total AS DECIMAL(19, 2))
    END AS total,
    CASE
      WHEN COALESCE(__held___count_2, 0) + __came___count_2 < 0
      THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
      ELSE COALESCE(__held___count_2, 0) + __came___count_2
    END AS __count_2,
    (
      CASE
        WHEN COALESCE(__held_n, 0) + __came_n < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held_n, 0) + __came_n
      END
    ) IS NOT DISTINCT FROM __held_n
    AND (
      CASE
        WHEN COALESCE(__held___count_2, 0) + __came___count_2 > 0
        THEN CAST(COALESCE(__held_total, 0) + __came_total AS DECIMAL(19, 2))
      END
    ) IS NOT DISTINCT FROM __held_total
    AND (
      CASE
        WHEN COALESCE(__held___count_2, 0) + __came___count_2 < 0
        THEN raise_error(''error[HW-DT-006]: a group would have fewer than no rows'')
        ELSE COALESCE(__held___count_2, 0) + __came___count_2
      END
    ) IS NOT DISTINCT FROM __held___count_2 AS __same,
    __hw_file,
    __hw_position
  FROM (
    SELECT
      region,
      __came_n,
      __came_total,
      __came___count_2,
      __held_region,
      __held_n,
      __held_total,
      __held___count_2,
      __hw_file,
      __hw_position
    FROM (
      SELECT
        `region` AS region,
        `__came_n` AS __came_n,
        `__came_total` AS __came_total,
        `__came___count_2` AS __came___count_2
      FROM hw_partial_1
    ) AS l
    LEFT JOIN (
      SELECT
        `__held_region` AS __held_region,
        `__held_n` AS __held_n,
        `__held_total` AS __held_total,
        `__held___count_2` AS __held___count_2,
        `__hw_file` AS __hw_file,
        `__hw_position` AS __hw_position
      FROM hw_held_2
    ) AS r
      ON region IS NOT DISTINCT FROM __held_region
  ) AS t
) AS t
WHERE
  NOT __hw_position IS NULL AND NOT __same;');


--
-- Data for Name: headwater_refresh; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_refresh VALUES ('bca0841c-6380-4bbf-964e-a94a51e590e5', 6, 'main', 'details', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:08.900704+00', '2026-11-20 01:07:09.949552+00', NULL, NULL, '[["main", "orders"], ["main", "customers"]]', 6, 0, 8, 9, NULL, 1, '{"compute_seconds": 0.583, "jobs": 2, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1721, "commit_seconds": 0.064, "first_time": 1}', '2e31f83de1b2023539cdefb634b58106');
INSERT INTO public.headwater_refresh VALUES ('00885a55-613d-4137-b8e1-d1ad443d349e', 6, 'main', 'details', 'default', 'SUCCEED', 'CREATION', 'NO_DATA', NULL, 'no source changed', '2026-11-20 01:07:10.096455+00', '2026-11-20 01:07:10.106593+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 0, 0, 9, 9, NULL, 1, '{}', NULL);
INSERT INTO public.headwater_refresh VALUES ('767540c8-0575-4dd2-88ac-7f071f7e89b1', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:10.112843+00', '2026-11-20 01:07:10.989462+00', NULL, NULL, '[["main", "details"]]', 3, 0, 9, 10, NULL, 1, '{"compute_seconds": 0.482, "jobs": 1, "rows_read": 6, "bytes_read": 2641, "source_files": 1, "files_written": 1, "bytes_written": 1559, "commit_seconds": 0.055, "first_time": 1}', '39ce97a48849ccc6d08dae77120145f9');
INSERT INTO public.headwater_refresh VALUES ('e73c9032-c4d4-4226-823e-90328cef2189', 8, 'main', 'latest', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:11.141666+00', '2026-11-20 01:07:12.126253+00', NULL, NULL, '[["main", "orders"]]', 4, 0, 10, 11, NULL, 1, '{"compute_seconds": 0.58, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1517, "commit_seconds": 0.08, "first_time": 1}', '6113daf4b0bd138254ac4ea90e0a2b00');
INSERT INTO public.headwater_refresh VALUES ('24eb71f1-3f7a-40a9-af4d-84d251445bb5', 9, 'main', 'top', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:12.247263+00', '2026-11-20 01:07:13.243009+00', NULL, NULL, '[["main", "orders"]]', 2, 0, 11, 12, NULL, 1, '{"compute_seconds": 0.202, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 995, "commit_seconds": 0.041, "first_time": 1}', '1339b3e3138b0af6cc5cc9b9e3bc5c81');
INSERT INTO public.headwater_refresh VALUES ('f6c6dc41-523e-4202-8e8e-a9270ef8a7dc', 10, 'main', 'daily', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:13.325762+00', '2026-11-20 01:07:14.348945+00', NULL, NULL, '[["main", "orders"]]', 4, 0, 12, 13, NULL, 1, '{"compute_seconds": 0.555, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 4, "bytes_written": 2011, "commit_seconds": 0.219, "first_time": 1}', '5ac26d89b8c037bb4fadcb7a1871f31e');
INSERT INTO public.headwater_refresh VALUES ('62085bf5-a207-4091-8768-1e935240b050', 12, 'main', 'whole', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:14.448974+00', '2026-11-20 01:07:15.389539+00', NULL, NULL, '[["main", "customers"]]', 3, 0, 13, 14, NULL, 1, '{"compute_seconds": 0.439, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1005, "commit_seconds": 0.072, "first_time": 1}', '744f20fc63579a04880eb35ca34f76a1');
INSERT INTO public.headwater_refresh VALUES ('5a8b086f-4bef-42df-a808-a2de261ecea5', 13, 'main', 'quoted', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:15.540631+00', '2026-11-20 01:07:16.337599+00', NULL, NULL, '[["main", "orders"]]', 4, 0, 14, 15, NULL, 1, '{"compute_seconds": 0.448, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1030, "commit_seconds": 0.12, "first_time": 1}', '318e26bbe3ddda556325fbcb8679b9c7');
INSERT INTO public.headwater_refresh VALUES ('e21b3326-05be-4c94-bfe8-548d5facd0a7', 14, 'main', 'at_rest', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-20 01:07:16.518214+00', '2026-11-20 01:07:17.27495+00', NULL, NULL, '[["main", "customers"]]', 4, 0, 15, 16, NULL, 1, '{"compute_seconds": 0.42, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 790, "commit_seconds": 0.026, "first_time": 1}', 'c37d5a7abb6b8b6707c373a4b17e976f');
INSERT INTO public.headwater_refresh VALUES ('288f036b-a7b4-477b-8844-9268aedc3250', 8, 'main', 'latest', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-20 01:07:17.505643+00', '2026-11-20 01:07:20.758455+00', NULL, NULL, '[["main", "orders"]]', 2, 3, 19, 21, NULL, 1, '{"plan_seconds": 0.108, "compute_seconds": 2.272, "jobs": 1, "rows_read": 4, "bytes_read": 2416, "source_files": 0, "rows_unchanged": 1, "files_written": 1, "bytes_written": 1474, "commit_seconds": 0.203}', '6113daf4b0bd138254ac4ea90e0a2b00');
INSERT INTO public.headwater_refresh VALUES ('3617070e-8314-4dfd-8ce1-3e5c6b836fe7', 6, 'main', 'details', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders", "main"."customers" changed; 60% of the rows changed', '2026-11-20 01:07:17.501787+00', '2026-11-20 01:07:20.85057+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 4, 4, 19, 22, '2026-11-20 01:12:17.34105+00', 1, '{"plan_seconds": 0.114, "compute_seconds": 2.34, "jobs": 2, "rows_read": 6, "bytes_read": 2707, "source_files": 0, "rows_unchanged": 2, "files_written": 1, "bytes_written": 1696, "commit_seconds": 0.218}', '2e31f83de1b2023539cdefb634b58106');
INSERT INTO public.headwater_refresh VALUES ('f53fa20c-d992-4502-bdcf-1284eb78f3dd', 10, 'main', 'daily', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-20 01:07:17.507443+00', '2026-11-20 01:07:20.109493+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 19, 20, NULL, 1, '{"plan_seconds": 0.116, "compute_seconds": 2.004, "jobs": 1, "rows_read": 4, "bytes_read": 3305, "source_files": 0, "rows_unchanged": 3, "files_written": 1, "bytes_written": 513, "commit_seconds": 0.142}', '5ac26d89b8c037bb4fadcb7a1871f31e');
INSERT INTO public.headwater_refresh VALUES ('48e428e3-fc8d-42b6-bcfc-4cb2b9e2bdbf', 9, 'main', 'top', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-20 01:07:17.506252+00', '2026-11-20 01:07:20.985001+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 19, 23, '2026-11-20 02:07:17.34105+00', 1, '{"plan_seconds": 0.242, "compute_seconds": 2.194, "jobs": 1, "rows_read": 2, "bytes_read": 1607, "source_files": 0, "rows_unchanged": 1, "files_written": 1, "bytes_written": 979, "commit_seconds": 0.105}', '1339b3e3138b0af6cc5cc9b9e3bc5c81');
INSERT INTO public.headwater_refresh VALUES ('bec0ff7b-f2cb-46d0-b275-f8a49009668f', 14, 'main', 'at_rest', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."customers" changed; 50% of the rows changed', '2026-11-20 01:07:21.011309+00', '2026-11-20 01:07:22.277317+00', NULL, NULL, '[["main", "customers"]]', 0, 0, 19, 16, '2026-11-20 02:07:17.404567+00', 1, '{"plan_seconds": 0.031, "compute_seconds": 0.647, "jobs": 1, "rows_read": 4, "bytes_read": 1273, "source_files": 0, "rows_unchanged": 4, "files_written": 0, "bytes_written": 0}', 'c37d5a7abb6b8b6707c373a4b17e976f');
INSERT INTO public.headwater_refresh VALUES ('06f7c0c7-fc33-4aae-a87d-f373b38ee8b5', 13, 'main', 'quoted', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-20 01:07:20.902142+00', '2026-11-20 01:07:22.686146+00', NULL, NULL, '[["main", "orders"]]', 1, 2, 19, 25, '2026-11-20 02:07:17.34105+00', 1, '{"plan_seconds": 0.103, "compute_seconds": 0.934, "jobs": 1, "rows_read": 4, "bytes_read": 1655, "source_files": 0, "rows_unchanged": 2, "files_written": 1, "bytes_written": 1002, "commit_seconds": 0.125}', '318e26bbe3ddda556325fbcb8679b9c7');
INSERT INTO public.headwater_refresh VALUES ('f42ca970-4a53-4a9c-a696-a71f4894fa85', 12, 'main', 'whole', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."customers" changed; REFRESH_MODE is FULL', '2026-11-20 01:07:20.145108+00', '2026-11-20 01:07:22.468813+00', NULL, NULL, '[["main", "customers"]]', 1, 1, 19, 24, '2026-11-20 02:07:17.404567+00', 1, '{"plan_seconds": 0.024, "compute_seconds": 1.109, "jobs": 1, "rows_read": 3, "bytes_read": 1600, "source_files": 0, "rows_unchanged": 2, "files_written": 1, "bytes_written": 970, "commit_seconds": 0.288}', '744f20fc63579a04880eb35ca34f76a1');
INSERT INTO public.headwater_refresh VALUES ('5d226990-a3ea-4118-bd25-fe88e4ac8523', 8, 'main', 'latest', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-20 01:07:24.722214+00', '2026-11-20 01:07:27.471859+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 28, 31, NULL, 1, '{"plan_seconds": 0.086, "compute_seconds": 2.314, "jobs": 5, "rows_read": 6, "bytes_read": 4785, "source_files": 0, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1446, "commit_seconds": 0.288}', '57356d47cced5d04233059a2c0d8ae73');
INSERT INTO public.headwater_refresh VALUES ('ff8a61f0-107b-4e4a-a1ae-00f403ff7e48', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."details" changed; 100% of the rows changed', '2026-11-20 01:07:20.861364+00', '2026-11-20 01:07:23.507553+00', NULL, NULL, '[["main", "details"]]', 2, 2, 19, 26, '2026-11-20 01:17:17.34105+00', 1, '{"plan_seconds": 0.258, "compute_seconds": 1.459, "jobs": 2, "rows_read": 13, "bytes_read": 7728, "source_files": 2, "rows_unchanged": 1, "files_written": 1, "bytes_written": 1529, "commit_seconds": 0.041}', '39ce97a48849ccc6d08dae77120145f9');
INSERT INTO public.headwater_refresh VALUES ('08bc4e3c-331a-4aef-8e4f-a12da3d7cf53', 14, 'main', 'at_rest', 'default', 'SUCCEED', 'MANUAL', 'REINITIALIZE', NULL, 'the definition changed', '2026-11-20 01:07:23.734154+00', '2026-11-20 01:07:24.60604+00', NULL, NULL, '[["main", "customers"]]', 3, 3, 26, 27, NULL, 1, '{"plan_seconds": 0.02, "compute_seconds": 0.564, "jobs": 1, "rows_read": 4, "bytes_read": 1273, "source_files": 0, "rows_unchanged": 1, "files_written": 1, "bytes_written": 990, "commit_seconds": 0.067}', '022d4066bb363b6f480abd80024935f4');
INSERT INTO public.headwater_refresh VALUES ('d00b3508-23b1-4687-96e2-55b2cbc44628', 10, 'main', 'daily', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ADDITIVE', '"main"."orders" changed', '2026-11-20 01:07:24.727015+00', '2026-11-20 01:07:26.842169+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 28, 29, NULL, 1, '{"plan_seconds": 0.081, "compute_seconds": 1.853, "jobs": 6, "rows_read": 1, "bytes_read": 1819, "source_files": 0, "rows_unchanged": 0, "files_written": 1, "bytes_written": 513, "affected_keys": 1, "commit_seconds": 0.13}', 'ab89187af4c4ebf25ca6ce377da6ec97');
INSERT INTO public.headwater_refresh VALUES ('24959a4f-0146-441f-9351-108b37ba9b80', 12, 'main', 'whole', 'default', 'SUCCEED', 'MANUAL', 'NO_DATA', NULL, 'no source changed', '2026-11-20 01:07:27.040299+00', '2026-11-20 01:07:27.130273+00', NULL, NULL, '[["main", "customers"]]', 0, 0, 28, 24, NULL, 1, '{}', NULL);
INSERT INTO public.headwater_refresh VALUES ('a5bfffa8-387d-40c4-a1ee-1f775aa2d0f5', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ADDITIVE', '"main"."details" changed', '2026-11-20 01:07:27.343412+00', '2026-11-20 01:07:28.973639+00', NULL, NULL, '[["main", "details"]]', 1, 1, 28, 32, '2026-11-20 01:17:24.679424+00', 1, '{"plan_seconds": 0.155, "compute_seconds": 1.36, "jobs": 7, "rows_read": 5, "bytes_read": 4903, "source_files": 1, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1492, "affected_keys": 1, "commit_seconds": 0.015}', '95204e4f39d1b5a4203932d9680a8252');
INSERT INTO public.headwater_refresh VALUES ('c75defe6-7603-45d0-8fef-c73e59653764', 6, 'main', 'details', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-20 01:07:24.721532+00', '2026-11-20 01:07:27.285887+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 1, 0, 28, 30, '2026-11-20 01:12:24.679424+00', 1, '{"plan_seconds": 0.121, "compute_seconds": 2.274, "jobs": 4, "rows_read": 0, "bytes_read": 0, "source_files": 0, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1627, "commit_seconds": 0.127}', '40f317286ecf7d2f42fdd6b602d4b5c0');
INSERT INTO public.headwater_refresh VALUES ('f575f098-fd05-414b-b883-6e2c53fdad71', 6, 'main', 'details', 'default', 'SUCCEED', 'MANUAL', NULL, NULL, 'restored to version 9', '2026-11-20 01:07:29.002174+00', '2026-11-20 01:07:30.05422+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 4, 5, 9, 33, NULL, 1, '{"rows_unchanged": 2, "files_written": 1, "bytes_written": 1686}', NULL);
INSERT INTO public.headwater_refresh VALUES ('06e51562-47b0-4ce5-8d96-5caeeddcb671', 9, 'main', 'top', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-20 01:07:24.725505+00', '2026-11-20 01:07:27.526277+00', NULL, NULL, '[["main", "orders"]]', 0, 0, 28, 23, '2026-11-20 02:07:24.679424+00', 1, '{"plan_seconds": 0.107, "compute_seconds": 2.645, "jobs": 5, "rows_read": 6, "bytes_read": 6396, "source_files": 0, "rows_unchanged": 2, "files_written": 0, "bytes_written": 0}', 'd336e2e780a4e6abf5a3bdc7539c90be');


--
-- Data for Name: headwater_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: headwater_schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_schema_version VALUES ('0008');


--
-- Data for Name: headwater_source; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_source VALUES (12, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (13, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (14, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (10, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (6, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (6, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (8, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (9, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (7, 6, 'main', 'details');


--
-- Data for Name: headwater_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_version VALUES (10, 13, 12, 12, 1, 13, 19, '2026-11-20 01:07:14.348907+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}', '{"plan": "04f9522034e40212ce572500224d8dd05fb6ca1b021aad1a7d72639ead33ac71", "types": {"day": "date", "orders": "int64"}, "mark": 12, "state": []}');
INSERT INTO public.headwater_version VALUES (8, 11, 10, 10, 1, 11, 20, '2026-11-20 01:07:12.125953+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '{"plan": "5925187a5fd1c0d34aa799ce0e14a4d2b5dd665cc1631646ad5b1c353cbc1e60", "types": {"customer": "int32", "id": "int32", "amount": "decimal(9,2)", "placed_at": "timestamp"}, "mark": 10, "state": [["_hw_placed_at", "timestamp", 1500000100], ["_hw_rowid_1", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_version VALUES (6, 9, 8, 9, 1, 9, 21, '2026-11-20 01:07:09.949507+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}', '{"plan": "064b6a6fd11120ba2e39e12e1da04e6e2dc994a6838c5cafee0d71f870aba40a", "types": {"id": "int32", "amount": "decimal(9,2)", "name": "varchar", "region": "varchar"}, "mark": 8, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_rowid_2", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_version VALUES (9, 12, 11, 11, 1, 12, 22, '2026-11-20 01:07:13.242976+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}', '{"plan": "f12718be34e1e48367e72bcaf922513d2842cb7c60be57161cd81f2cc052865e", "types": {"id": "int32", "amount": "decimal(9,2)"}, "mark": 11, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (12, 14, 13, 13, 1, 14, 23, '2026-11-20 01:07:15.389499+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[2, "varchar", null, "name"], [3, "varchar", null, "region"]]}, "views": {}}', '{"plan": "2f195d01050fca16c6ef9c88f94401b944b170087e4e56d69cca9d9b9ad43fb5", "types": {"region": "varchar", "last": "varchar", "name": "varchar"}, "mark": 13, "state": [["_hw_count_0", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (14, 16, 15, 15, 1, 16, NULL, '2026-11-20 01:07:17.274914+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"]]}, "views": {}}', '{"plan": "d2dc6aaca4b6eed100e885829d4de5de9b59f968bc2abd6b6ef27199bd035da6", "types": {"id": "int32"}, "mark": 15, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (13, 15, 14, 14, 1, 15, 24, '2026-11-20 01:07:16.337559+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '{"plan": "0e7f7ebb702d893e6e875502309784afb1be7ac5a4cf3a5c93cb06593fc4ef5e", "types": {"id": "int32", "month": "timestamp"}, "mark": 14, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (7, 10, 9, 9, 1, 10, 25, '2026-11-20 01:07:10.989428+00', NULL, 1, NULL, '{"read": {"6": 9}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}', '{"plan": "b0be552e1b05f77c6fd0bfb7d9bd08e1d03e50a61cfd81b381e416101a7d15e3", "types": {"region": "varchar", "n": "int64", "total": "decimal(19,2)", "mean": "decimal(13,6)", "amount": "decimal(9,2)"}, "mark": 9, "state": [["_hw_count_2", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (14, 16, 19, 19, 1, 16, 26, '2026-11-20 01:07:17.274914+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"]]}, "views": {}}', '{"plan": "d2dc6aaca4b6eed100e885829d4de5de9b59f968bc2abd6b6ef27199bd035da6", "types": {"id": "int32"}, "mark": 15, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (10, 20, 19, 19, 1, 20, 28, '2026-11-20 01:07:19.995344+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}', '{"plan": "04f9522034e40212ce572500224d8dd05fb6ca1b021aad1a7d72639ead33ac71", "types": {"day": "date", "orders": "int64"}, "mark": 12, "state": []}');
INSERT INTO public.headwater_version VALUES (6, 22, 19, 19, 1, 22, 29, '2026-11-20 01:07:20.777013+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}', '{"plan": "064b6a6fd11120ba2e39e12e1da04e6e2dc994a6838c5cafee0d71f870aba40a", "types": {"id": "int32", "amount": "decimal(9,2)", "name": "varchar", "region": "varchar"}, "mark": 8, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_rowid_2", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_version VALUES (8, 21, 19, 19, 1, 21, 30, '2026-11-20 01:07:20.63801+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '{"plan": "5925187a5fd1c0d34aa799ce0e14a4d2b5dd665cc1631646ad5b1c353cbc1e60", "types": {"customer": "int32", "id": "int32", "amount": "decimal(9,2)", "placed_at": "timestamp"}, "mark": 10, "state": [["_hw_placed_at", "timestamp", 1500000100], ["_hw_rowid_1", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_version VALUES (9, 23, 19, 19, 1, 23, NULL, '2026-11-20 01:07:20.895703+00', NULL, 1, NULL, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}', '{"plan": "f12718be34e1e48367e72bcaf922513d2842cb7c60be57161cd81f2cc052865e", "types": {"id": "int32", "amount": "decimal(9,2)"}, "mark": 11, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (7, 26, 19, 19, 1, 26, 31, '2026-11-20 01:07:23.476012+00', NULL, 1, NULL, '{"read": {"6": 22}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}', '{"plan": "b0be552e1b05f77c6fd0bfb7d9bd08e1d03e50a61cfd81b381e416101a7d15e3", "types": {"region": "varchar", "n": "int64", "total": "decimal(19,2)", "mean": "decimal(13,6)", "amount": "decimal(9,2)"}, "mark": 9, "state": [["_hw_count_2", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_version VALUES (6, 30, 28, 28, 1, 30, 32, '2026-11-20 01:07:27.192826+00', NULL, 1, NULL, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}', '{"plan": "064b6a6fd11120ba2e39e12e1da04e6e2dc994a6838c5cafee0d71f870aba40a", "types": {"id": "int32", "amount": "decimal(9,2)", "name": "varchar", "region": "varchar"}, "mark": 8, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_rowid_2", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');


--
-- Data for Name: headwater_worker; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: ducklake_data_file ducklake_data_file_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ducklake_data_file
    ADD CONSTRAINT ducklake_data_file_pkey PRIMARY KEY (data_file_id);


--
-- Name: ducklake_delete_file ducklake_delete_file_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ducklake_delete_file
    ADD CONSTRAINT ducklake_delete_file_pkey PRIMARY KEY (delete_file_id);


--
-- Name: ducklake_schema ducklake_schema_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ducklake_schema
    ADD CONSTRAINT ducklake_schema_pkey PRIMARY KEY (schema_id);


--
-- Name: ducklake_snapshot_changes ducklake_snapshot_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ducklake_snapshot_changes
    ADD CONSTRAINT ducklake_snapshot_changes_pkey PRIMARY KEY (snapshot_id);


--
-- Name: ducklake_snapshot ducklake_snapshot_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ducklake_snapshot
    ADD CONSTRAINT ducklake_snapshot_pkey PRIMARY KEY (snapshot_id);


--
-- Name: headwater_after headwater_after_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_after
    ADD CONSTRAINT headwater_after_pkey PRIMARY KEY (table_id, after_id);


--
-- Name: headwater_alert headwater_alert_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_alert
    ADD CONSTRAINT headwater_alert_pkey PRIMARY KEY (table_id, kind, subject);


--
-- Name: headwater_definition headwater_definition_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_definition
    ADD CONSTRAINT headwater_definition_pkey PRIMARY KEY (table_id, version);


--
-- Name: headwater_dynamic_table headwater_dynamic_table_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_dynamic_table
    ADD CONSTRAINT headwater_dynamic_table_pkey PRIMARY KEY (table_id);


--
-- Name: headwater_frontier headwater_frontier_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_frontier
    ADD CONSTRAINT headwater_frontier_pkey PRIMARY KEY (table_id);


--
-- Name: headwater_lease headwater_lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_lease
    ADD CONSTRAINT headwater_lease_pkey PRIMARY KEY (table_id);


--
-- Name: headwater_plan headwater_plan_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_plan
    ADD CONSTRAINT headwater_plan_pkey PRIMARY KEY (id);


--
-- Name: headwater_refresh headwater_refresh_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_refresh
    ADD CONSTRAINT headwater_refresh_pkey PRIMARY KEY (id);


--
-- Name: headwater_request headwater_request_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_request
    ADD CONSTRAINT headwater_request_pkey PRIMARY KEY (id);


--
-- Name: headwater_schema_version headwater_schema_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_schema_version
    ADD CONSTRAINT headwater_schema_version_pkc PRIMARY KEY (version_num);


--
-- Name: headwater_source headwater_source_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_source
    ADD CONSTRAINT headwater_source_pkey PRIMARY KEY (table_id, source_id);


--
-- Name: headwater_version headwater_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_version
    ADD CONSTRAINT headwater_version_pkey PRIMARY KEY (table_id, number, valid_from);


--
-- Name: headwater_worker headwater_worker_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.headwater_worker
    ADD CONSTRAINT headwater_worker_pkey PRIMARY KEY (id);


--
-- Name: headwater_refresh_by_table; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX headwater_refresh_by_table ON public.headwater_refresh USING btree (table_id, started_at);


--
-- PostgreSQL database dump complete
--

\unrestrict qsJnrGGLaKNkp22YzCNSzL5Tq2tXeOzpaZKjk0cSSrNwECND4v9xMdLZOfnihM2

