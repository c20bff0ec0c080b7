--
-- PostgreSQL database dump
--

\restrict T7ur1aJtx03UDoC3kbxF8XSVosf5yqHWw7fFQ3LoJZEtUtppSuIVlUG4UjhQa6a

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
    id integer
);


--
-- Name: ducklake_inlined_data_13_13; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ducklake_inlined_data_13_13 (
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
    layout text
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
    epoch integer NOT NULL,
    valid_from bigint NOT NULL,
    valid_to bigint NOT NULL,
    lake_snapshot bigint NOT NULL,
    clock_at timestamp with time zone,
    definition_version integer NOT NULL,
    identity text NOT NULL
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
INSERT INTO public.ducklake_column VALUES (2, 25, NULL, 13, 2, 'name', 'varchar', NULL, 'NULL', true, NULL, 'literal', 'duckdb');


--
-- Data for Name: ducklake_column_mapping; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_column_tag; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_data_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_data_file VALUES (7, 10, 13, NULL, NULL, 'day=__HIVE_DEFAULT_PARTITION__/ducklake-01a1f046-556f-7d5f-b28c-6c57bc877214.parquet', true, 'parquet', 1, 472, 292, 0, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (8, 10, 13, NULL, NULL, 'day=2026-01-01/ducklake-01a1f046-5570-7968-a8e2-6c57bc877214.parquet', true, 'parquet', 1, 513, 318, 1, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (9, 10, 13, NULL, NULL, 'day=2026-01-02/ducklake-01a1f046-5588-7ce9-b453-6c57bc877214.parquet', true, 'parquet', 1, 513, 318, 2, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (11, 12, 14, NULL, NULL, 'ducklake-01a1f046-5a5e-7a81-946e-a360fd5a7754.parquet', true, 'parquet', 3, 1005, 583, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (15, 9, 19, NULL, NULL, 'ducklake-01a1f046-74f2-7cf5-92b6-6442a566ebcc.parquet', true, 'parquet', 1, 979, 600, 2, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (10, 10, 13, 21, NULL, 'day=2026-01-03/ducklake-01a1f046-5589-7620-a516-6c57bc877214.parquet', true, 'parquet', 1, 513, 318, 3, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (20, 6, 22, NULL, NULL, 'ducklake-01a1f046-7da9-70fd-ac54-5b5149bb1ae6.parquet', true, 'parquet', 4, 1696, 970, 6, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (22, 12, 23, NULL, NULL, 'ducklake-01a1f046-832d-7aac-b189-c9715b44cac7.parquet', true, 'parquet', 1, 970, 580, 3, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (26, 13, 25, NULL, NULL, 'ducklake-01a1f046-9e89-7eb7-99b5-afbf6c290083.parquet', true, 'parquet', 3, 990, 578, 4, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (29, 6, 27, NULL, NULL, 'ducklake-01a1f046-b459-76a7-ac68-5414391560d6.parquet', true, 'parquet', 1, 1627, 967, 10, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (30, 10, 28, NULL, NULL, 'day=2026-01-04/ducklake-01a1f046-b51e-7d69-a59e-96b69874cf37.parquet', true, 'parquet', 1, 513, 318, 5, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (19, 10, 21, 28, NULL, 'day=2026-01-04/ducklake-01a1f046-772c-79f9-9a21-259ea408665d.parquet', true, 'parquet', 1, 513, 318, 4, 11, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (31, 8, 29, NULL, NULL, 'ducklake-01a1f046-b746-7267-94a8-60a7d5a05daa.parquet', true, 'parquet', 1, 1446, 883, 6, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (33, 7, 30, NULL, NULL, 'ducklake-01a1f046-c63e-74a9-8d47-24050a16f429.parquet', true, 'parquet', 1, 1492, 892, 5, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (12, 13, 15, 31, NULL, 'ducklake-01a1f046-5e02-7f86-8c45-2552032da451.parquet', true, 'parquet', 4, 790, 471, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (35, 13, 31, NULL, NULL, 'ducklake-01a1f046-c7be-7fc4-87c8-b3bb50e59bd5.parquet', true, 'parquet', 1, 1204, 739, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (3, 6, 9, 32, NULL, 'ducklake-01a1f046-3eba-7e09-8b50-5fc4ef4337ca.parquet', true, 'parquet', 6, 1721, 974, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (36, 6, 32, NULL, NULL, 'ducklake-01a1f046-c8ab-75c6-892e-550977de4bce.parquet', true, 'parquet', 2, 1920, 1142, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (5, 8, 11, 33, NULL, 'ducklake-01a1f046-4c62-76de-95d4-fc6ae812c208.parquet', true, 'parquet', 4, 1517, 887, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (17, 8, 20, 33, NULL, 'ducklake-01a1f046-757c-782a-8e7f-2b5d0a90a4c2.parquet', true, 'parquet', 2, 1474, 883, 4, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (37, 8, 33, NULL, NULL, 'ducklake-01a1f046-c9b4-7995-879b-e8f339d15e5f.parquet', true, 'parquet', 2, 1743, 1058, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (6, 9, 12, 34, NULL, 'ducklake-01a1f046-515a-78a9-a2ca-2b0e887cbc79.parquet', true, 'parquet', 2, 995, 600, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (38, 9, 34, NULL, NULL, 'ducklake-01a1f046-ca57-7710-bbaf-9d02c08d61df.parquet', true, 'parquet', 1, 1252, 775, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (4, 7, 10, 35, NULL, 'ducklake-01a1f046-45e8-7c28-ae72-3cdaaa164ef9.parquet', true, 'parquet', 3, 1559, 899, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (24, 7, 24, 35, NULL, 'ducklake-01a1f046-8fdc-72cb-a1bd-6d86b8da3fca.parquet', true, 'parquet', 2, 1529, 892, 3, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_data_file VALUES (39, 7, 35, NULL, NULL, 'ducklake-01a1f046-cb0a-7158-a1b4-cce31e0ecbf2.parquet', true, 'parquet', 2, 1798, 1065, NULL, NULL, NULL, NULL, NULL);


--
-- Data for Name: ducklake_delete_file; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_delete_file VALUES (23, 12, 23, NULL, 11, 'ducklake-01a1f046-84c3-7142-b888-348ba022fc00-delete.parquet', true, 'parquet', 1, 937, 487, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (27, 13, 25, 31, 12, 'ducklake-01a1f046-9fbc-7318-9acd-99182bbc7935-delete.parquet', true, 'parquet', 3, 960, 491, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (21, 6, 22, 32, 3, 'ducklake-01a1f046-7f49-7be9-a36b-47d7b2089765-delete.parquet', true, 'parquet', 4, 964, 491, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (18, 8, 20, 33, 5, 'ducklake-01a1f046-7881-72e0-9b8f-720f34f04dff-delete.parquet', true, 'parquet', 3, 953, 489, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (32, 8, 29, 33, 17, 'ducklake-01a1f046-b89b-78f8-bb86-45288cd5be31-delete.parquet', true, 'parquet', 1, 940, 489, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (16, 9, 19, 34, 6, 'ducklake-01a1f046-7737-74d4-806a-1f625755fdd3-delete.parquet', true, 'parquet', 1, 927, 483, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (25, 7, 24, 35, 4, 'ducklake-01a1f046-9196-7d23-be96-8c1431a6c92a-delete.parquet', true, 'parquet', 2, 968, 497, NULL, NULL);
INSERT INTO public.ducklake_delete_file VALUES (34, 7, 30, 35, 24, 'ducklake-01a1f046-c6e4-7ec8-bd52-bef6185544a3-delete.parquet', true, 'parquet', 1, 960, 497, NULL, NULL);


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
INSERT INTO public.ducklake_file_column_stats VALUES (12, 13, 1, 57, 3, 1, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (15, 9, 1, 48, 1, 0, '6', '6', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (15, 9, 2, 48, 1, 0, '99.99', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 1, 52, 2, 0, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 2, 52, 2, 0, '6', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (17, 8, 3, 52, 2, 0, '1.00', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 10, 1, 48, 1, 0, '2026-01-04', '2026-01-04', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (19, 10, 2, 52, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (20, 6, 1, 61, 4, 0, '1', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (20, 6, 2, 61, 4, 0, '1.00', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (20, 6, 3, 57, 4, 0, 'Ada', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (20, 6, 4, 61, 4, 0, 'south', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (22, 12, 1, 52, 1, 0, 'west', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (22, 12, 2, 51, 1, 0, 'Ada', 'Ada', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (24, 7, 1, 61, 2, 0, 'south', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (24, 7, 2, 60, 2, 0, '2', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (24, 7, 3, 59, 2, 0, '31.50', '99.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (24, 7, 4, 60, 2, 0, '10.500000', '99.990000', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (26, 13, 1, 52, 2, 1, '1', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (26, 13, 2, 64, 3, 0, 'Ada', 'Cy', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 6, 1, 48, 1, 0, '9', '9', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 6, 2, 48, 1, 0, '3.00', '3.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 6, 3, 50, 1, 0, 'Bo', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (29, 6, 4, 53, 1, 0, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (30, 10, 1, 48, 1, 0, '2026-01-04', '2026-01-04', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (30, 10, 2, 52, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (31, 8, 1, 48, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (31, 8, 2, 48, 1, 0, '9', '9', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (31, 8, 3, 48, 1, 0, '3.00', '3.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 7, 1, 53, 1, 0, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 7, 2, 52, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 7, 3, 53, 1, 0, '102.99', '102.99', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (33, 7, 4, 52, 1, 0, '51.495000', '51.495000', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (35, 13, 1, 48, 1, 0, '3', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (35, 13, 2, 41, 0, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 6, 1, 52, 2, 0, '3', '4', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 6, 2, 48, 1, 1, '5.00', '5.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 6, 3, 50, 1, 1, 'Bo', 'Bo', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (36, 6, 4, 53, 1, 1, 'south', 'south', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (37, 8, 1, 48, 1, 1, '1', '1', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (37, 8, 2, 52, 2, 0, '4', '7', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (37, 8, 3, 52, 2, 0, '1.00', '5.00', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 9, 1, 48, 1, 0, '2', '2', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (38, 9, 2, 48, 1, 0, '20.50', '20.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 7, 1, 52, 1, 1, 'west', 'west', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 7, 2, 60, 2, 0, '1', '3', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 7, 3, 59, 2, 0, '5.00', '31.50', NULL, NULL);
INSERT INTO public.ducklake_file_column_stats VALUES (39, 7, 4, 60, 2, 0, '5.000000', '10.500000', NULL, NULL);


--
-- Data for Name: ducklake_file_partition_value; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_file_partition_value VALUES (7, 10, 0, NULL);
INSERT INTO public.ducklake_file_partition_value VALUES (8, 10, 0, '2026-01-01');
INSERT INTO public.ducklake_file_partition_value VALUES (9, 10, 0, '2026-01-02');
INSERT INTO public.ducklake_file_partition_value VALUES (10, 10, 0, '2026-01-03');
INSERT INTO public.ducklake_file_partition_value VALUES (19, 10, 0, '2026-01-04');
INSERT INTO public.ducklake_file_partition_value VALUES (30, 10, 0, '2026-01-04');


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
-- Data for Name: ducklake_inlined_data_13_13; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_inlined_data_1_1; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_1_1 VALUES (2, 5, NULL, 3, NULL, '\x736f757468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (3, 5, NULL, NULL, '\x4379', NULL);
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (0, 17, NULL, 1, '\x416461', '\x77657374');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (0, 5, 17, 1, '\x416461', '\x6e6f727468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (1, 40, NULL, 2, '\x426f62', '\x736f757468');
INSERT INTO public.ducklake_inlined_data_1_1 VALUES (1, 5, 40, 2, '\x426f', '\x736f757468');


--
-- Data for Name: ducklake_inlined_data_2_2; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_2_2 VALUES (2, 6, NULL, 3, 2, NULL, '2026-01-02 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (3, 6, NULL, 4, NULL, 5.00, NULL);
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (6, 16, NULL, 6, 2, 99.99, '2026-01-04 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (7, 16, NULL, 7, 1, 1.00, '2026-01-04 09:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (4, 6, 18, 5, 3, 7.25, '2026-01-03 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (5, 6, 18, 5, 3, 7.25, '2026-01-03 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (8, 26, NULL, 9, 2, 3.00, '2026-01-04 10:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (9, 36, NULL, 8, 3, 12.00, '2026-01-05 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (10, 36, NULL, 8, 3, 12.00, '2026-01-05 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (0, 37, NULL, 1, 1, 11.00, '2026-01-01 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (0, 6, 37, 1, 1, 10.00, '2026-01-01 08:00:00');
INSERT INTO public.ducklake_inlined_data_2_2 VALUES (1, 6, 38, 2, 1, 20.50, '2026-01-01 09:00:00');


--
-- Data for Name: ducklake_inlined_data_3_3; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_inlined_data_3_3 VALUES (0, 7, NULL, '2026-01-01');
INSERT INTO public.ducklake_inlined_data_3_3 VALUES (1, 39, NULL, '2026-01-02');


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
INSERT INTO public.ducklake_inlined_data_tables VALUES (13, 'ducklake_inlined_data_13_13', 13);


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
INSERT INTO public.ducklake_metadata VALUES ('data_path', '/var/lib/headwater-lake/data/', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('encrypted', 'false', NULL, NULL);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 6);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 7);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 8);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 9);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 10);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 12);
INSERT INTO public.ducklake_metadata VALUES ('auto_compact', 'false', 'table', 13);


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

INSERT INTO public.ducklake_schema VALUES (0, '5737f708-0104-4d9b-bdcf-7b487f66f2b3', 0, NULL, 'main', 'main/', true);
INSERT INTO public.ducklake_schema VALUES (4, '01a1f046-344f-715f-87d1-d9e3a05f8304', 4, NULL, 'marts', 'marts/', true);


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
INSERT INTO public.ducklake_schema_versions VALUES (25, 13, 13);


--
-- Data for Name: ducklake_snapshot; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_snapshot VALUES (0, '2026-11-18 20:08:14.846841+00', 0, 1, 0);
INSERT INTO public.ducklake_snapshot VALUES (1, '2026-11-18 20:08:15.015406+00', 1, 2, 0);
INSERT INTO public.ducklake_snapshot VALUES (2, '2026-11-18 20:08:15.080026+00', 2, 3, 0);
INSERT INTO public.ducklake_snapshot VALUES (3, '2026-11-18 20:08:15.155963+00', 3, 4, 0);
INSERT INTO public.ducklake_snapshot VALUES (4, '2026-11-18 20:08:15.182706+00', 4, 5, 0);
INSERT INTO public.ducklake_snapshot VALUES (5, '2026-11-18 20:08:16.079548+00', 4, 5, 1);
INSERT INTO public.ducklake_snapshot VALUES (6, '2026-11-18 20:08:16.164111+00', 4, 5, 2);
INSERT INTO public.ducklake_snapshot VALUES (7, '2026-11-18 20:08:16.236457+00', 4, 5, 3);
INSERT INTO public.ducklake_snapshot VALUES (8, '2026-11-18 20:08:16.282956+00', 5, 6, 3);
INSERT INTO public.ducklake_snapshot VALUES (9, '2026-11-18 20:08:17.93525+00', 6, 7, 4);
INSERT INTO public.ducklake_snapshot VALUES (10, '2026-11-18 20:08:19.846677+00', 7, 8, 5);
INSERT INTO public.ducklake_snapshot VALUES (11, '2026-11-18 20:08:21.387991+00', 8, 9, 6);
INSERT INTO public.ducklake_snapshot VALUES (12, '2026-11-18 20:08:22.834313+00', 9, 10, 7);
INSERT INTO public.ducklake_snapshot VALUES (13, '2026-11-18 20:08:24.025064+00', 10, 12, 11);
INSERT INTO public.ducklake_snapshot VALUES (14, '2026-11-18 20:08:24.974565+00', 11, 13, 12);
INSERT INTO public.ducklake_snapshot VALUES (15, '2026-11-18 20:08:25.92898+00', 12, 14, 13);
INSERT INTO public.ducklake_snapshot VALUES (16, '2026-11-18 20:08:26.281222+00', 12, 14, 14);
INSERT INTO public.ducklake_snapshot VALUES (17, '2026-11-18 20:08:26.479489+00', 12, 14, 15);
INSERT INTO public.ducklake_snapshot VALUES (18, '2026-11-18 20:08:26.750129+00', 12, 14, 15);
INSERT INTO public.ducklake_snapshot VALUES (19, '2026-11-18 20:08:31.838439+00', 12, 14, 17);
INSERT INTO public.ducklake_snapshot VALUES (20, '2026-11-18 20:08:32.243162+00', 12, 14, 19);
INSERT INTO public.ducklake_snapshot VALUES (21, '2026-11-18 20:08:33.070155+00', 12, 14, 20);
INSERT INTO public.ducklake_snapshot VALUES (22, '2026-11-18 20:08:34.041534+00', 12, 14, 22);
INSERT INTO public.ducklake_snapshot VALUES (23, '2026-11-18 20:08:35.569646+00', 12, 14, 24);
INSERT INTO public.ducklake_snapshot VALUES (24, '2026-11-18 20:08:38.864948+00', 12, 14, 26);
INSERT INTO public.ducklake_snapshot VALUES (25, '2026-11-18 20:08:42.414475+00', 13, 14, 28);
INSERT INTO public.ducklake_snapshot VALUES (26, '2026-11-18 20:08:42.960697+00', 13, 14, 29);
INSERT INTO public.ducklake_snapshot VALUES (27, '2026-11-18 20:08:47.968366+00', 13, 14, 30);
INSERT INTO public.ducklake_snapshot VALUES (28, '2026-11-18 20:08:48.202247+00', 13, 14, 31);
INSERT INTO public.ducklake_snapshot VALUES (29, '2026-11-18 20:08:48.748684+00', 13, 14, 33);
INSERT INTO public.ducklake_snapshot VALUES (30, '2026-11-18 20:08:52.565045+00', 13, 14, 35);
INSERT INTO public.ducklake_snapshot VALUES (31, '2026-11-18 20:08:52.927884+00', 13, 14, 36);
INSERT INTO public.ducklake_snapshot VALUES (32, '2026-11-18 20:08:53.165273+00', 13, 14, 37);
INSERT INTO public.ducklake_snapshot VALUES (33, '2026-11-18 20:08:53.429618+00', 13, 14, 38);
INSERT INTO public.ducklake_snapshot VALUES (34, '2026-11-18 20:08:53.592208+00', 13, 14, 39);
INSERT INTO public.ducklake_snapshot VALUES (35, '2026-11-18 20:08:53.771879+00', 13, 14, 40);
INSERT INTO public.ducklake_snapshot VALUES (36, '2026-11-18 20:08:53.810902+00', 13, 14, 41);
INSERT INTO public.ducklake_snapshot VALUES (37, '2026-11-18 20:08:53.850072+00', 13, 14, 42);
INSERT INTO public.ducklake_snapshot VALUES (38, '2026-11-18 20:08:53.948091+00', 13, 14, 42);
INSERT INTO public.ducklake_snapshot VALUES (39, '2026-11-18 20:08:54.023274+00', 13, 14, 43);
INSERT INTO public.ducklake_snapshot VALUES (40, '2026-11-18 20:08:54.065848+00', 13, 14, 44);


--
-- Data for Name: ducklake_snapshot_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_snapshot_changes VALUES (0, 'created_schema:"main"', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (1, 'created_table:"main"."customers"', NULL, NULL, '{"headwater": {"token": "7d199643-ab96-4990-a304-79205b7a30b3"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (2, 'created_table:"main"."orders"', NULL, NULL, '{"headwater": {"token": "31dbe563-2c81-45c7-9991-4e87fdc58ad5"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (3, 'created_table:"main"."loads"', NULL, NULL, '{"headwater": {"token": "10903d99-eb66-4805-a365-6ee9a45ce425"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (4, 'created_schema:"marts"', NULL, NULL, '{"headwater": {"token": "b5df0b58-817b-4959-92c0-5e10f9ecd00c"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (5, 'inlined_insert:1', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (6, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (7, 'inlined_insert:3', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (8, 'created_view:"main"."big"', NULL, NULL, '{"headwater": {"token": "2aa3bdc1-6139-45d4-99b8-9a7de1bd2d47"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (9, 'created_table:"main"."details",inserted_into_table:6', 'headwater', 'create dynamic table "main"."details"', '{"headwater": {"token": "cebcdfa6-1ad5-4355-958d-a818b877bddf"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (10, 'created_table:"marts"."by_region",inserted_into_table:7', 'headwater', 'create dynamic table "marts"."by_region"', '{"headwater": {"token": "37ae5d59-d389-407b-94f3-c03fd75eb0ec"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (11, 'created_table:"main"."latest",inserted_into_table:8', 'headwater', 'create dynamic table "main"."latest"', '{"headwater": {"token": "d714e8c9-ab11-4760-b185-5a30552f1e8e"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (12, 'created_table:"main"."top",inserted_into_table:9', 'headwater', 'create dynamic table "main"."top"', '{"headwater": {"token": "b10e68fb-66ac-4790-9a07-40e4babb5196"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (13, 'created_table:"main"."daily",inserted_into_table:10', 'headwater', 'create dynamic table "main"."daily"', '{"headwater": {"token": "edfc099f-706b-4038-94af-43f8b9aa2d0a"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (14, 'created_table:"main"."whole",inserted_into_table:12', 'headwater', 'create dynamic table "main"."whole"', '{"headwater": {"token": "4063619d-5f61-4868-9978-364cb8101e6a"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (15, 'created_table:"main"."at_rest",inserted_into_table:13', 'headwater', 'create dynamic table "main"."at_rest"', '{"headwater": {"token": "904670d5-9bc0-459d-a372-02a25d9409fb"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (16, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (17, 'inlined_insert:1,inlined_delete:1', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (18, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (19, 'inserted_into_table:9,deleted_from_table:9', 'headwater', 'refresh "main"."top" to snapshot 18', '{"headwater": {"token": "509a599f-9b19-40b5-8b89-3d33f0102aa1"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (20, 'inserted_into_table:8,deleted_from_table:8', 'headwater', 'refresh "main"."latest" to snapshot 18', '{"headwater": {"token": "82c78a20-e3c3-4fe3-b4ee-d003c64529e9"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (21, 'inserted_into_table:10,deleted_from_table:10', 'headwater', 'refresh "main"."daily" to snapshot 18', '{"headwater": {"token": "78bdbd4e-3372-458d-9e6e-24387f1cac77"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (22, 'inserted_into_table:6,deleted_from_table:6', 'headwater', 'refresh "main"."details" to snapshot 18', '{"headwater": {"token": "96acf8b5-b3e2-4779-8033-0609026e3ea4"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (23, 'inserted_into_table:12,deleted_from_table:12', 'headwater', 'refresh "main"."whole" to snapshot 18', '{"headwater": {"token": "6f89c606-bdce-4399-bee4-028fbd7cc364"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (24, 'inserted_into_table:7,deleted_from_table:7', 'headwater', 'refresh "marts"."by_region" to snapshot 18', '{"headwater": {"token": "21ca987b-2d52-457c-bced-191ed5007c73"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (25, 'inserted_into_table:13,deleted_from_table:13,altered_table:13', 'headwater', 'refresh "main"."at_rest" to snapshot 24', '{"headwater": {"token": "0506f7a6-d76d-48f5-9a67-993817087931"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (26, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (27, 'inserted_into_table:6', 'headwater', 'refresh "main"."details" to snapshot 26', '{"headwater": {"token": "d58bedbe-8c56-4900-b5f4-8d3151398cad"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (28, 'inserted_into_table:10,deleted_from_table:10', 'headwater', 'refresh "main"."daily" to snapshot 26', '{"headwater": {"token": "40f5b846-ed1f-47d5-abe5-ea2a0b27f8c2"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (29, 'inserted_into_table:8,deleted_from_table:8', 'headwater', 'refresh "main"."latest" to snapshot 26', '{"headwater": {"token": "d04ecb6b-5108-4a07-b398-dafeba78e2a1"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (30, 'inserted_into_table:7,deleted_from_table:7', 'headwater', 'refresh "marts"."by_region" to snapshot 26', '{"headwater": {"token": "b1d44398-54ad-4485-b829-cfb0cd95da5d"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (31, 'rewrite_delete:13,inline_flush:13', 'headwater', 'compact files of "main"."at_rest"', '{"headwater": {"token": "517be607-9be4-48e8-aa88-6afa0224aef5"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (32, 'rewrite_delete:6,inline_flush:6', 'headwater', 'compact files of "main"."details"', '{"headwater": {"token": "6f585b74-892b-458b-a88f-1d4dc139aae5"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (33, 'rewrite_delete:8,inline_flush:8', 'headwater', 'compact files of "main"."latest"', '{"headwater": {"token": "1aaf12d3-52fe-412e-b4d8-8a3284985a24"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (34, 'rewrite_delete:9,inline_flush:9', 'headwater', 'compact files of "main"."top"', '{"headwater": {"token": "90a34023-bd83-4e57-aa52-652e5f1fe4e6"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (35, 'rewrite_delete:7,inline_flush:7', 'headwater', 'compact files of "marts"."by_region"', '{"headwater": {"token": "433754ef-94c4-4194-b9a0-bdf12c5f892a"}}');
INSERT INTO public.ducklake_snapshot_changes VALUES (36, 'inlined_insert:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (37, 'inlined_insert:2,inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (38, 'inlined_delete:2', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (39, 'inlined_insert:3', NULL, NULL, NULL);
INSERT INTO public.ducklake_snapshot_changes VALUES (40, 'inlined_insert:1,inlined_delete:1', NULL, NULL, NULL);


--
-- Data for Name: ducklake_sort_expression; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_sort_info; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: ducklake_table; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_table VALUES (1, '01a1f046-33a6-7739-943f-a645945e5174', 1, NULL, 0, 'customers', 'customers/', true);
INSERT INTO public.ducklake_table VALUES (2, '01a1f046-33e6-7383-b48f-a124391b7982', 2, NULL, 0, 'orders', 'orders/', true);
INSERT INTO public.ducklake_table VALUES (3, '01a1f046-3433-759c-9733-b3eda376b321', 3, NULL, 0, 'loads', 'loads/', true);
INSERT INTO public.ducklake_table VALUES (6, '01a1f046-3c5e-72f4-bee8-cd673506b24d', 9, NULL, 0, 'details', 'details/', true);
INSERT INTO public.ducklake_table VALUES (7, '01a1f046-42a3-7c09-9902-fb2c3faeb817', 10, NULL, 4, 'by_region', 'by_region/', true);
INSERT INTO public.ducklake_table VALUES (8, '01a1f046-49c0-71ff-a2ff-acb98d54e27e', 11, NULL, 0, 'latest', 'latest/', true);
INSERT INTO public.ducklake_table VALUES (9, '01a1f046-4fbf-74e8-804a-410e00624227', 12, NULL, 0, 'top', 'top/', true);
INSERT INTO public.ducklake_table VALUES (10, '01a1f046-5410-7d38-92a9-6ab49a4bd5b7', 13, NULL, 0, 'daily', 'daily/', true);
INSERT INTO public.ducklake_table VALUES (12, '01a1f046-5843-7f3a-8424-77c5ae52f5b0', 14, NULL, 0, 'whole', 'whole/', true);
INSERT INTO public.ducklake_table VALUES (13, '01a1f046-5d11-7015-bc3a-4f13bcb3589d', 15, NULL, 0, 'at_rest', 'at_rest/', true);


--
-- Data for Name: ducklake_table_column_stats; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ducklake_table_column_stats VALUES (6, 3, true, NULL, 'Ada', 'Bo', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 2, false, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (8, 1, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (12, 2, false, NULL, 'Ada', 'Cy', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (13, 1, true, NULL, '1', '3', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (9, 1, false, NULL, '1', '6', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (9, 2, false, NULL, '10.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (8, 3, true, NULL, '1.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (10, 1, true, NULL, '2026-01-01', '2026-01-04', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 2, true, NULL, '1.00', '99.99', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 4, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (12, 1, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 1, true, NULL, 'north', 'west', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (7, 4, false, NULL, '5.000000', '99.990000', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (13, 2, false, NULL, 'Ada', 'Cy', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (6, 1, false, NULL, '1', '9', NULL);
INSERT INTO public.ducklake_table_column_stats VALUES (10, 2, false, NULL, '1', '3', NULL);
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
INSERT INTO public.ducklake_table_stats VALUES (13, 4, 7, 2194);
INSERT INTO public.ducklake_table_stats VALUES (6, 7, 11, 5243);
INSERT INTO public.ducklake_table_stats VALUES (8, 3, 7, 3189);
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

INSERT INTO public.ducklake_view VALUES (5, 'c115e920-b32c-4de9-bca7-4071f81c90e2', 8, NULL, 0, 'big', 'duckdb', 'SELECT * FROM orders WHERE amount > 6', '');


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
SELECT o.id, o.amount, c.name, c.region FROM orders o LEFT JOIN customers c ON o.customer = c.id', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:16.508522+00');
INSERT INTO public.headwater_definition VALUES (7, 1, 'CREATE DYNAMIC TABLE "marts"."by_region"
TARGET_LAG = ''10 minutes''
WAREHOUSE = "default"
AS
SELECT region, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM details GROUP BY region', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:18.443508+00');
INSERT INTO public.headwater_definition VALUES (8, 1, 'CREATE DYNAMIC TABLE "latest"
TARGET_LAG = DOWNSTREAM
AS
SELECT customer, id, amount FROM ( SELECT *, row_number() OVER (PARTITION BY customer ORDER BY placed_at DESC, id DESC) AS rank FROM orders) WHERE rank = 1', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:20.227993+00');
INSERT INTO public.headwater_definition VALUES (9, 1, 'CREATE DYNAMIC TABLE "top"
TARGET_LAG = ''1 hour''
AS
SELECT id, amount FROM big ORDER BY amount DESC, id LIMIT 2', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:21.72625+00');
INSERT INTO public.headwater_definition VALUES (10, 1, 'CREATE DYNAMIC TABLE "daily"
REFRESH INTERVAL 1 HOUR
AFTER = ''"loads"''
PARTITIONED BY ("day")
AS
SELECT CAST(placed_at AS DATE) AS day, count(*) AS orders FROM orders GROUP BY 1', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:23.146076+00');
INSERT INTO public.headwater_definition VALUES (12, 1, 'CREATE DYNAMIC TABLE "whole"
TARGET_LAG = ''1 hour''
REFRESH_MODE = FULL
AS
SELECT region, max(name) AS last FROM customers GROUP BY region', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:24.206614+00');
INSERT INTO public.headwater_definition VALUES (13, 1, 'CREATE DYNAMIC TABLE "at_rest"
TARGET_LAG = ''1 hour''
AS
SELECT id FROM customers', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:25.27139+00');
INSERT INTO public.headwater_definition VALUES (13, 2, 'CREATE DYNAMIC TABLE "main"."at_rest"
TARGET_LAG = ''1 hour''
AS
SELECT id, name FROM customers', 'duckdb', '{"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false", "spark.sql.files.ignoreCorruptFiles": "false", "spark.sql.files.ignoreMissingFiles": "false", "spark.sql.optimizer.nestedSchemaPruning.enabled": "false", "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED", "spark.sql.parquet.fieldId.read.enabled": "true", "spark.sql.parquet.fieldId.read.ignoreMissing": "false", "spark.sql.parquet.inferTimestampNTZ.enabled": "true", "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS", "spark.sql.session.timeZone": "UTC", "spark.sql.timeType.enabled": "true", "spark.sql.timestampType": "TIMESTAMP_LTZ", "spark.sql.variable.substitute": "false", "spark.version": "4.3.0"}', '2026-11-18 20:08:42.81933+00');


--
-- Data for Name: headwater_dynamic_table; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_dynamic_table VALUES (6, 'main', 'details', 1, '2026-11-18 20:08:16.508522+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (7, 'marts', 'by_region', 1, '2026-11-18 20:08:18.443508+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (8, 'main', 'latest', 1, '2026-11-18 20:08:20.227993+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (9, 'main', 'top', 1, '2026-11-18 20:08:21.72625+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (10, 'main', 'daily', 1, '2026-11-18 20:08:23.146076+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (12, 'main', 'whole', 1, '2026-11-18 20:08:24.206614+00', NULL, NULL, NULL, 0, NULL, NULL, NULL);
INSERT INTO public.headwater_dynamic_table VALUES (13, 'main', 'at_rest', 2, '2026-11-18 20:08:25.27139+00', '2026-11-18 20:08:42.912096+00', 'PERSON', 'suspended by a person', 0, NULL, NULL, NULL);


--
-- Data for Name: headwater_frontier; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_frontier VALUES (13, 24, 24, 25, NULL, 1, 2, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"]]}, "views": {}}', '2026-11-18 20:08:42.418354+00', '{"plan": "79a7cc29be0b33fa41e1028ba4c138e6d7f32a9c2893039d0c3583927f957145", "types": {"id": "int32", "name": "varchar"}, "mark": 14, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_frontier VALUES (6, 26, 26, 27, NULL, 1, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}', '2026-11-18 20:08:47.990524+00', '{"plan": "064b6a6fd11120ba2e39e12e1da04e6e2dc994a6838c5cafee0d71f870aba40a", "types": {"id": "int32", "amount": "decimal(9,2)", "name": "varchar", "region": "varchar"}, "mark": 8, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_rowid_2", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_frontier VALUES (10, 26, 26, 28, NULL, 1, 1, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}', '2026-11-18 20:08:48.218011+00', '{"plan": "04f9522034e40212ce572500224d8dd05fb6ca1b021aad1a7d72639ead33ac71", "types": {"day": "date", "orders": "int64"}, "mark": 12, "state": []}');
INSERT INTO public.headwater_frontier VALUES (12, 26, 18, 23, NULL, 1, 1, '{"read": {}, "tables": {"1": [[2, "varchar", null, "name"], [3, "varchar", null, "region"]]}, "views": {}}', '2026-11-18 20:08:48.405968+00', '{"plan": "2f195d01050fca16c6ef9c88f94401b944b170087e4e56d69cca9d9b9ad43fb5", "types": {"region": "varchar", "last": "varchar", "name": "varchar"}, "mark": 13, "state": [["_hw_count_0", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_frontier VALUES (8, 26, 26, 29, NULL, 1, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}', '2026-11-18 20:08:48.820177+00', '{"plan": "5925187a5fd1c0d34aa799ce0e14a4d2b5dd665cc1631646ad5b1c353cbc1e60", "types": {"customer": "int32", "id": "int32", "amount": "decimal(9,2)", "placed_at": "timestamp"}, "mark": 10, "state": [["_hw_placed_at", "timestamp", 1500000100], ["_hw_rowid_1", "int64", 1500000101], ["_hw_layout", "int64", 1500000102]]}');
INSERT INTO public.headwater_frontier VALUES (9, 26, 26, 19, NULL, 1, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}', '2026-11-18 20:08:49.987974+00', '{"plan": "f12718be34e1e48367e72bcaf922513d2842cb7c60be57161cd81f2cc052865e", "types": {"id": "int32", "amount": "decimal(9,2)"}, "mark": 11, "state": [["_hw_rowid_1", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');
INSERT INTO public.headwater_frontier VALUES (7, 26, 26, 30, NULL, 1, 1, '{"read": {"6": 27}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}', '2026-11-18 20:08:52.58912+00', '{"plan": "b0be552e1b05f77c6fd0bfb7d9bd08e1d03e50a61cfd81b381e416101a7d15e3", "types": {"region": "varchar", "n": "int64", "total": "decimal(19,2)", "mean": "decimal(13,6)", "amount": "decimal(9,2)"}, "mark": 9, "state": [["_hw_count_2", "int64", 1500000100], ["_hw_layout", "int64", 1500000101]]}');


--
-- Data for Name: headwater_lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_lease VALUES (12, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (10, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (13, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (6, NULL, NULL, 0, NULL);
INSERT INTO public.headwater_lease VALUES (8, NULL, NULL, 0, NULL);
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
INSERT INTO public.headwater_plan VALUES ('c37d5a7abb6b8b6707c373a4b17e976f', '-- hw_source_1: "main"."customers"
SELECT id FROM `hw_source_1` AS `customers`');
INSERT INTO public.headwater_plan VALUES ('022d4066bb363b6f480abd80024935f4', '-- hw_source_1: "main"."customers"
SELECT id, name FROM `hw_source_1` AS `customers`');
INSERT INTO public.headwater_plan VALUES ('67f0032e6139cfd3e97a9aeba7ca8e3c', '-- hw_source_1: "main"."orders"
-- hw_source_1_delta: what came to "main"."orders" (__w = 1) and what left it (__w = -1)
-- hw_target: this table, with the place of each row

-- hw_leading_1: for each key the first of what came (__rank = 0), left (1) and is held (2), unless that stays
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

-- hw_again_2: groups whose least or greatest value left, keys whose latest row did
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

-- rows that come
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

-- places of the rows that go
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
INSERT INTO public.headwater_plan VALUES ('4c583da3fb81761f3178396fd4de65ff', '-- hw_source_1_delta: what came to "main"."orders" (__w = 1) and what left it (__w = -1)
-- hw_source_2: "main"."customers"

-- rows that come (__w = 1) and go (__w = -1), found by their names in __rowid_1, __rowid_2
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
INSERT INTO public.headwater_plan VALUES ('bf403cea273cf5977b83459cabe47b89', '-- hw_source_1: "main"."orders"
-- hw_source_1_delta: what came to "main"."orders" (__w = 1) and what left it (__w = -1)
-- hw_target: this table, with the place of each row

-- hw_moved_1: rows that changed
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

-- hw_went_2: where they lay in the order, of those that went
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

-- hw_lost_3: those of them that this table has: if there are any, all is computed anew
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

-- rows that come
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

-- rows of the table that go, unless they are among those that come
SELECT
  `id` AS id,
  `amount` AS amount,
  `__rowid_1` AS __rowid_1,
  `__layout` AS __layout,
  `__hw_file` AS __hw_file,
  `__hw_position` AS __hw_position
FROM hw_target;');
INSERT INTO public.headwater_plan VALUES ('70d63f2dc13bc6c1741623019a0a7183', '-- hw_source_1_delta: what came to "main"."orders" (__w = 1) and what left it (__w = -1)
-- hw_target: this table, with the place of each row

-- hw_partial_1: what came less what left, by group
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

-- hw_held_2: what this table holds of these groups
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

-- rows that come
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

-- places of the rows that go
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
INSERT INTO public.headwater_plan VALUES ('ed3ec4c7044d19ec9e28c165b749d9a2', '-- hw_source_1_delta: what came to "main"."details" (__w = 1) and what left it (__w = -1)
-- hw_target: this table, with the place of each row

-- hw_partial_1: what came less what left, by group
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

-- hw_held_2: what this table holds of these groups
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

-- rows that come
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

-- places of the rows that go
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

INSERT INTO public.headwater_refresh VALUES ('01a1f046-3c5f-771e-9a27-3390f14f9e94', 6, 'main', 'details', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:16.508522+00', '2026-11-18 20:08:18.227285+00', NULL, NULL, '[["main", "orders"], ["main", "customers"]]', 6, 0, 8, 9, NULL, 1, '{"compute_seconds": 0.661, "jobs": 2, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1721, "commit_seconds": 0.292}', '2e31f83de1b2023539cdefb634b58106');
INSERT INTO public.headwater_refresh VALUES ('96533b2d-e168-443e-a0bc-f1ac40c83b6b', 6, 'main', 'details', 'default', 'SUCCEED', 'CREATION', 'NO_DATA', NULL, 'no source changed', '2026-11-18 20:08:18.332392+00', '2026-11-18 20:08:18.426477+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 0, 0, 9, 9, NULL, 1, '{}', NULL);
INSERT INTO public.headwater_refresh VALUES ('01a1f046-42a3-763a-8727-79e1ba874585', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:18.443508+00', '2026-11-18 20:08:20.161448+00', NULL, NULL, '[["main", "details"]]', 3, 0, 9, 10, NULL, 1, '{"compute_seconds": 0.98, "jobs": 1, "rows_read": 6, "bytes_read": 2641, "source_files": 1, "files_written": 1, "bytes_written": 1559, "commit_seconds": 0.315}', '39ce97a48849ccc6d08dae77120145f9');
INSERT INTO public.headwater_refresh VALUES ('01a1f046-49c0-7a13-b7bb-45e4988734f1', 8, 'main', 'latest', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:20.227993+00', '2026-11-18 20:08:21.622099+00', NULL, NULL, '[["main", "orders"]]', 4, 0, 10, 11, NULL, 1, '{"compute_seconds": 0.703, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1517, "commit_seconds": 0.234}', '6113daf4b0bd138254ac4ea90e0a2b00');
INSERT INTO public.headwater_refresh VALUES ('01a1f046-4fbf-708a-9c41-f7ca038679c2', 9, 'main', 'top', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:21.72625+00', '2026-11-18 20:08:23.030087+00', NULL, NULL, '[["main", "orders"]]', 2, 0, 11, 12, NULL, 1, '{"compute_seconds": 0.625, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 995, "commit_seconds": 0.196}', '1339b3e3138b0af6cc5cc9b9e3bc5c81');
INSERT INTO public.headwater_refresh VALUES ('01a1f046-5410-7ec7-ac45-9263250ae47d', 10, 'main', 'daily', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:23.146076+00', '2026-11-18 20:08:24.090747+00', NULL, NULL, '[["main", "orders"]]', 4, 0, 12, 13, NULL, 1, '{"compute_seconds": 0.659, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 4, "bytes_written": 2011, "commit_seconds": 0.066}', '5ac26d89b8c037bb4fadcb7a1871f31e');
INSERT INTO public.headwater_refresh VALUES ('01a1f046-5843-72c2-a795-884de4302028', 12, 'main', 'whole', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:24.206614+00', '2026-11-18 20:08:25.142154+00', NULL, NULL, '[["main", "customers"]]', 3, 0, 13, 14, NULL, 1, '{"compute_seconds": 0.584, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 1005, "commit_seconds": 0.168}', '744f20fc63579a04880eb35ca34f76a1');
INSERT INTO public.headwater_refresh VALUES ('01a1f046-5d11-76be-aa0f-60967d3d394c', 13, 'main', 'at_rest', 'default', 'SUCCEED', 'CREATION', 'REINITIALIZE', NULL, 'first refresh', '2026-11-18 20:08:25.27139+00', '2026-11-18 20:08:26.069937+00', NULL, NULL, '[["main", "customers"]]', 4, 0, 14, 15, NULL, 1, '{"compute_seconds": 0.302, "jobs": 1, "rows_read": 0, "bytes_read": 0, "source_files": 0, "files_written": 1, "bytes_written": 790, "commit_seconds": 0.141}', 'c37d5a7abb6b8b6707c373a4b17e976f');
INSERT INTO public.headwater_refresh VALUES ('509a599f-9b19-40b5-8b89-3d33f0102aa1', 9, 'main', 'top', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-18 20:08:26.917233+00', '2026-11-18 20:08:32.410239+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 18, 19, NULL, 1, '{"plan_seconds": 0.329, "source_files": 0, "compute_seconds": 3.331, "jobs": 1, "rows_read": 2, "bytes_read": 1607, "rows_unchanged": 1, "files_written": 1, "bytes_written": 979, "commit_seconds": 0.572}', '1339b3e3138b0af6cc5cc9b9e3bc5c81');
INSERT INTO public.headwater_refresh VALUES ('82c78a20-e3c3-4fe3-b4ee-d003c64529e9', 8, 'main', 'latest', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-18 20:08:26.914682+00', '2026-11-18 20:08:32.681108+00', NULL, NULL, '[["main", "orders"]]', 2, 3, 18, 20, NULL, 1, '{"plan_seconds": 0.263, "source_files": 0, "compute_seconds": 3.578, "jobs": 1, "rows_read": 4, "bytes_read": 2416, "rows_unchanged": 1, "files_written": 1, "bytes_written": 1474, "commit_seconds": 0.438}', '6113daf4b0bd138254ac4ea90e0a2b00');
INSERT INTO public.headwater_refresh VALUES ('78bdbd4e-3372-458d-9e6e-24387f1cac77', 10, 'main', 'daily', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders" changed; 67% of the rows changed', '2026-11-18 20:08:26.919411+00', '2026-11-18 20:08:33.249028+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 18, 21, NULL, 1, '{"plan_seconds": 0.449, "source_files": 0, "compute_seconds": 4.339, "jobs": 1, "rows_read": 4, "bytes_read": 3305, "rows_unchanged": 3, "files_written": 1, "bytes_written": 513, "commit_seconds": 0.179}', '5ac26d89b8c037bb4fadcb7a1871f31e');
INSERT INTO public.headwater_refresh VALUES ('96acf8b5-b3e2-4779-8033-0609026e3ea4', 6, 'main', 'details', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."orders", "main"."customers" changed; 60% of the rows changed', '2026-11-18 20:08:26.902195+00', '2026-11-18 20:08:34.409139+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 4, 4, 18, 22, NULL, 1, '{"plan_seconds": 0.4, "source_files": 0, "compute_seconds": 4.098, "jobs": 2, "rows_read": 6, "bytes_read": 2707, "rows_unchanged": 2, "files_written": 1, "bytes_written": 1696, "commit_seconds": 0.368}', '2e31f83de1b2023539cdefb634b58106');
INSERT INTO public.headwater_refresh VALUES ('6f89c606-bdce-4399-bee4-028fbd7cc364', 12, 'main', 'whole', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."customers" changed; REFRESH_MODE is FULL', '2026-11-18 20:08:32.51817+00', '2026-11-18 20:08:35.833314+00', NULL, NULL, '[["main", "customers"]]', 1, 1, 18, 23, NULL, 1, '{"plan_seconds": 0.14, "source_files": 0, "compute_seconds": 1.905, "jobs": 1, "rows_read": 3, "bytes_read": 1600, "rows_unchanged": 2, "files_written": 1, "bytes_written": 970, "commit_seconds": 0.264}', '744f20fc63579a04880eb35ca34f76a1');
INSERT INTO public.headwater_refresh VALUES ('92d49324-51ff-452a-92c3-4e2c027749fc', 13, 'main', 'at_rest', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."customers" changed; 50% of the rows changed', '2026-11-18 20:08:32.754725+00', '2026-11-18 20:08:36.108308+00', NULL, NULL, '[["main", "customers"]]', 0, 0, 18, 15, NULL, 1, '{"plan_seconds": 0.443, "source_files": 0, "compute_seconds": 2.326, "jobs": 1, "rows_read": 4, "bytes_read": 1273, "rows_unchanged": 4, "files_written": 0, "bytes_written": 0}', 'c37d5a7abb6b8b6707c373a4b17e976f');
INSERT INTO public.headwater_refresh VALUES ('21ca987b-2d52-457c-bced-191ed5007c73', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'MANUAL', 'FULL', NULL, '"main"."details" changed; 100% of the rows changed', '2026-11-18 20:08:34.440708+00', '2026-11-18 20:08:39.110207+00', NULL, NULL, '[["main", "details"]]', 2, 2, 18, 24, NULL, 1, '{"plan_seconds": 0.289, "source_files": 2, "compute_seconds": 2.533, "jobs": 2, "rows_read": 13, "bytes_read": 7728, "rows_unchanged": 1, "files_written": 1, "bytes_written": 1529, "commit_seconds": 0.245}', '39ce97a48849ccc6d08dae77120145f9');
INSERT INTO public.headwater_refresh VALUES ('0506f7a6-d76d-48f5-9a67-993817087931', 13, 'main', 'at_rest', 'default', 'SUCCEED', 'MANUAL', 'REINITIALIZE', NULL, 'the definition changed', '2026-11-18 20:08:39.675742+00', '2026-11-18 20:08:42.828202+00', NULL, NULL, '[["main", "customers"]]', 3, 3, 24, 25, NULL, 1, '{"plan_seconds": 0.114, "source_files": 0, "compute_seconds": 0.994, "jobs": 1, "rows_read": 4, "bytes_read": 1273, "rows_unchanged": 1, "files_written": 1, "bytes_written": 990, "commit_seconds": 0.414}', '022d4066bb363b6f480abd80024935f4');
INSERT INTO public.headwater_refresh VALUES ('156fe1a3-d035-4b09-afd7-54261ecde9d1', 12, 'main', 'whole', 'default', 'SUCCEED', 'MANUAL', 'NO_DATA', NULL, 'no source changed', '2026-11-18 20:08:48.253075+00', '2026-11-18 20:08:48.349312+00', NULL, NULL, '[["main", "customers"]]', 0, 0, 26, 23, NULL, 1, '{}', NULL);
INSERT INTO public.headwater_refresh VALUES ('40f5b846-ed1f-47d5-abe5-ea2a0b27f8c2', 10, 'main', 'daily', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ADDITIVE', '"main"."orders" changed', '2026-11-18 20:08:43.104309+00', '2026-11-18 20:08:48.238731+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 26, 28, NULL, 1, '{"plan_seconds": 0.116, "source_files": 0, "compute_seconds": 4.568, "jobs": 6, "rows_read": 1, "bytes_read": 1819, "rows_unchanged": 0, "files_written": 1, "bytes_written": 513, "affected_keys": 1, "commit_seconds": 0.036}', '70d63f2dc13bc6c1741623019a0a7183');
INSERT INTO public.headwater_refresh VALUES ('b1d44398-54ad-4485-b829-cfb0cd95da5d', 7, 'marts', 'by_region', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ADDITIVE', '"main"."details" changed', '2026-11-18 20:08:48.222377+00', '2026-11-18 20:08:52.732214+00', NULL, NULL, '[["main", "details"]]', 1, 1, 26, 30, NULL, 1, '{"plan_seconds": 0.442, "source_files": 1, "compute_seconds": 3.338, "jobs": 7, "rows_read": 5, "bytes_read": 4903, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1492, "affected_keys": 1, "commit_seconds": 0.167}', 'ed3ec4c7044d19ec9e28c165b749d9a2');
INSERT INTO public.headwater_refresh VALUES ('d58bedbe-8c56-4900-b5f4-8d3151398cad', 6, 'main', 'details', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-18 20:08:43.103432+00', '2026-11-18 20:08:48.135101+00', NULL, NULL, '[["main", "customers"], ["main", "orders"]]', 1, 0, 26, 27, NULL, 1, '{"plan_seconds": 0.101, "source_files": 0, "compute_seconds": 4.724, "jobs": 4, "rows_read": 0, "bytes_read": 0, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1627, "commit_seconds": 0.167}', '4c583da3fb81761f3178396fd4de65ff');
INSERT INTO public.headwater_refresh VALUES ('d04ecb6b-5108-4a07-b398-dafeba78e2a1', 8, 'main', 'latest', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-18 20:08:43.104168+00', '2026-11-18 20:08:49.147501+00', NULL, NULL, '[["main", "orders"]]', 1, 1, 26, 29, NULL, 1, '{"plan_seconds": 0.068, "source_files": 0, "compute_seconds": 5.507, "jobs": 5, "rows_read": 6, "bytes_read": 4785, "rows_unchanged": 0, "files_written": 1, "bytes_written": 1446, "commit_seconds": 0.399}', '67f0032e6139cfd3e97a9aeba7ca8e3c');
INSERT INTO public.headwater_refresh VALUES ('71c95df9-f2e7-4fc5-a5b1-c97994dcfc9a', 9, 'main', 'top', 'default', 'SUCCEED', 'MANUAL', 'INCREMENTAL', 'ROW_DELTA', '"main"."orders" changed', '2026-11-18 20:08:43.103976+00', '2026-11-18 20:08:49.988405+00', NULL, NULL, '[["main", "orders"]]', 0, 0, 26, 19, NULL, 1, '{"plan_seconds": 0.092, "source_files": 0, "compute_seconds": 6.741, "jobs": 5, "rows_read": 6, "bytes_read": 6396, "rows_unchanged": 2, "files_written": 0, "bytes_written": 0}', 'bf403cea273cf5977b83459cabe47b89');


--
-- Data for Name: headwater_request; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: headwater_schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_schema_version VALUES ('0007');


--
-- Data for Name: headwater_source; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_source VALUES (12, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (13, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (6, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (6, 1, 'main', 'customers');
INSERT INTO public.headwater_source VALUES (10, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (8, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (9, 2, 'main', 'orders');
INSERT INTO public.headwater_source VALUES (7, 6, 'main', 'details');


--
-- Data for Name: headwater_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.headwater_version VALUES (9, 1, 11, 11, 12, NULL, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}');
INSERT INTO public.headwater_version VALUES (8, 1, 10, 10, 11, NULL, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (10, 1, 12, 12, 13, NULL, 1, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (6, 1, 8, 9, 9, NULL, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (12, 1, 13, 13, 14, NULL, 1, '{"read": {}, "tables": {"1": [[2, "varchar", null, "name"], [3, "varchar", null, "region"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (13, 1, 14, 14, 15, NULL, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (7, 1, 9, 9, 10, NULL, 1, '{"read": {"6": 9}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (13, 1, 18, 18, 15, NULL, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (6, 1, 18, 18, 22, NULL, 1, '{"read": {}, "tables": {"1": [[1, "int32", null, "id"], [2, "varchar", null, "name"], [3, "varchar", null, "region"]], "2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (10, 1, 18, 18, 21, NULL, 1, '{"read": {}, "tables": {"2": [[4, "timestamp", null, "placed_at"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (8, 1, 18, 18, 20, NULL, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {}}');
INSERT INTO public.headwater_version VALUES (9, 1, 18, 18, 19, NULL, 1, '{"read": {}, "tables": {"2": [[1, "int32", null, "id"], [2, "int32", null, "customer"], [3, "decimal(9,2)", null, "amount"], [4, "timestamp", null, "placed_at"]]}, "views": {"\"main\".\"big\"": "SELECT * FROM orders WHERE amount > 6"}}');
INSERT INTO public.headwater_version VALUES (7, 1, 18, 18, 24, NULL, 1, '{"read": {"6": 22}, "tables": {"6": [[2, "decimal(9,2)", null, "amount"], [4, "varchar", null, "region"]]}, "views": {}}');


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
    ADD CONSTRAINT headwater_version_pkey PRIMARY KEY (table_id, epoch, valid_from);


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

\unrestrict T7ur1aJtx03UDoC3kbxF8XSVosf5yqHWw7fFQ3LoJZEtUtppSuIVlUG4UjhQa6a

