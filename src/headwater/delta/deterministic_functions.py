"""The functions whose result depends only on their arguments; queries with other functions are refreshed in full.

Spark's own flag does not suffice: first, collect_list, current_timestamp and float sums are deterministic to Spark.
"""

from __future__ import annotations

from sqlglot import exp

# Scalar functions.
SCALAR = frozenset(
    """
    Abs Acos Acosh AddMonths And Array ArrayAll ArrayAny ArrayAppend ArrayCompact ArrayConcat ArrayContains ArrayDistinct
    ArrayExcept ArrayFilter ArrayFirst ArrayInsert ArrayIntersect ArrayLast ArrayMax ArrayMin ArrayOverlaps ArrayPosition
    ArrayPrepend ArrayRemove ArrayReverse ArraySize ArraySlice ArraySort ArrayToString ArraysZip Ascii Asin Asinh Atan Atan2
    Atanh BitLength BitwiseCount ByteLength Case Cast Cbrt Ceil Chr Coalesce Concat ConcatWs Contains ConvertTimezone Cos Cosh
    Cot Csc Date DateAdd DateDiff DateFromParts DateFromUnixDate DateSub DateTrunc Day DayOfMonth DayOfWeek DayOfWeekIso
    DayOfYear Decode Degrees Elt Encode EndsWith Exp Explode Extract Factorial Flatten Floor FromBase64 FromJson
    GenerateSeries Getbit Greatest Hex Hour If Initcap Inline IsInf IsNan JSONExtract JSONExtractScalar LastDay Least Left
    Length Levenshtein Ln Log Lower MD5 Map MapCat MapContainsKey MapFromEntries MapKeys MapSize Minute Month MonthsBetween
    Nanvl NextDay Nullif NumberToStr Nvl2 Or Overlay Pad ParseUrl Pi Posexplode PosexplodeOuter Pow Quarter Radians Reduce
    RegexpCount RegexpExtract RegexpExtractAll RegexpInstr RegexpLike RegexpReplace RegexpSplit Repeat Replace Reverse Right
    Rint Round SHA SHA2 Sec Second Sign Sin Sinh Soundex Space Split SplitPart Sqrt StartsWith StrPosition StrToDate StrToMap
    StrToTime StrToUnix Struct StructExtract Stuff Substring SubstringIndex Tan Tanh TimeToStr TimeToUnix TimestampAdd
    TimestampDiff TimestampFromParts TimestampTrunc ToArray ToBase64 ToBinary ToChar ToNumber Transform Translate Trim Trunc
    TryCast TsOrDiToDi TsOrDsAdd TsOrDsDiff TsOrDsToDate TsOrDsToDateStr TsOrDsToTimestamp Typeof Unhex Unicode UnixDate
    UnixMicros UnixMillis UnixSeconds UnixToStr UnixToTime UnixToTimeStr Upper Week WeekOfYear WidthBucket Xor Year
    _ExplodeOuter
    """.split()  # noqa: SIM905
)
# Scalar functions without a class in sqlglot.
NAMED = frozenset(
    """
    array_join array_repeat array_size assert_true bin bit_get bit_length bround btrim cardinality char_length
    character_length conv convert_timezone crc32 date_format date_from_unix_date date_part datepart element_at exists explode
    explode_outer expm1 find_in_set forall format_number format_string from_csv from_json from_unixtime from_utc_timestamp get
    get_json_object hash hypot ifnull ilike inline inline_outer instr isnotnull isnull json_array_length json_object_keys
    lcase like locate log10 log1p log2 lpad ltrim make_date make_dt_interval make_interval make_timestamp make_timestamp_ltz
    make_timestamp_ntz make_ym_interval map_concat map_entries map_filter map_from_arrays map_values map_zip_with mask mod
    named_struct negative nvl octet_length pmod posexplode positive printf raise_error regexp regexp_like regexp_substr rlike
    rpad rtrim schema_of_json sentences sequence sha shiftleft shiftright shiftrightunsigned signum size slice sort_array
    stack startswith str_to_map substr timestamp_micros timestamp_millis timestamp_seconds to_csv to_date to_json to_timestamp
    to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_utc_timestamp transform_keys transform_values trunc try_add
    try_divide try_element_at try_multiply try_subtract try_to_date try_to_number try_to_timestamp ucase unbase64 unix_date
    weekday xpath xxhash64 zip_with
    """.split()  # noqa: SIM905
)
# Aggregates that depend on the rows of a group but not on their order.
EXACT = (exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg, exp.Count, exp.CountIf, exp.LogicalAnd, exp.LogicalOr)
EXACT_NAMED = frozenset({"bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count_if", "every", "some"})
EXTREMES = (exp.Max, exp.Min)
# Exact for integers and decimals, except AVG of integers, which Spark adds as floats.
SUMS = (exp.Avg, exp.Sum)
# Sums of floats, whose last digits depend on the order of rows.
FLOATING = (
    exp.Corr,
    exp.CovarPop,
    exp.CovarSamp,
    exp.Kurtosis,
    exp.RegrAvgx,
    exp.RegrAvgy,
    exp.RegrIntercept,
    exp.RegrR2,
    exp.RegrSlope,
    exp.RegrSxx,
    exp.RegrSxy,
    exp.RegrSyy,
    exp.Skewness,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
)
# Exact, because they sort.
SORTED = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead)
PICKS = (exp.FirstValue, exp.LastValue, exp.NthValue)
