"""Which files are worth compacting."""

from __future__ import annotations

from headwater.maintain.choose_files import FLOOR, Candidate, FileGroup, Policy, choose_merges, choose_rewrites

MB = 1024 * 1024


def _files(*sizes: int) -> list[Candidate]:
    return [Candidate(place, size, 100) for place, size in enumerate(sizes)]


def _ids(groups: tuple[tuple[Candidate, ...], ...]) -> list[list[int]]:
    return [[file.id for file in group] for group in groups]


def test_few_files_are_left_alone() -> None:
    assert choose_merges(_files(10, 10, 10), Policy()) == ()
    assert _ids(choose_merges(_files(10, 10, 10, 10), Policy())) == [[0, 1, 2, 3]]


def test_a_large_file_waits_for_as_much_as_it_has() -> None:
    assert _ids(choose_merges(_files(100 * MB, 10, 10, 10, 10), Policy())) == [[1, 2, 3, 4]]
    small = [30 * MB] * 4
    assert _ids(choose_merges(_files(100 * MB, *small), Policy())) == [[1, 2, 3, 4, 0]]


def test_many_tiny_files_do_not_have_a_large_one_written_anew() -> None:
    assert _ids(choose_merges(_files(50 * MB, *[10_000] * 60), Policy())) == [[*range(1, 61)]]
    worn = [Candidate(place, size, 100, 1) for place, size in enumerate((50 * MB, *[10_000] * 60))]
    assert _ids(choose_rewrites(worn, Policy())) == [[*range(1, 61)]]


def test_deleted_rows_do_not_count() -> None:
    # What is left of the others is less than what is left of the largest.
    worn = [Candidate(place, 10 * MB, 100, 49) for place in range(4)] + [Candidate(4, 25 * MB, 100, 1)]
    assert _ids(choose_rewrites(worn, Policy())) == [[0, 1, 2, 3]]
    assert _ids(choose_rewrites([*worn, Candidate(5, 6 * MB, 100, 1)], Policy())) == [[0, 1, 2, 3, 5, 4]]


def test_what_is_not_read_yet_waits_unless_half_of_it_is_deleted() -> None:
    unread = [Candidate(place, 10, 100, deleted, read=False) for place, deleted in enumerate((0, 0, 1, 1, 50))]
    assert choose_merges(unread, Policy(min_files=2)) == ()
    assert _ids(choose_rewrites(unread, Policy(min_files=2))) == [[4]]


def test_no_row_is_written_more_often_than_its_file_can_double() -> None:
    policy = Policy(target_bytes=64 * MB)
    files: list[int] = []
    written = 0
    for _ in range(2_000):
        files.append(FLOOR)
        for group in choose_merges(_files(*files), policy):
            gone = {file.id for file in group}
            merged = sum(file.bytes for file in group)
            written += merged
            files = [size for place, size in enumerate(files) if place not in gone] + [merged]
    assert written <= 6 * 2_000 * FLOOR
    assert len(files) <= 2_000 / 32 + 3 * 6


def test_groups_keep_to_the_target_size() -> None:
    groups = choose_merges(_files(*[10 * MB] * 40), Policy(target_bytes=100 * MB))
    assert [sum(file.bytes for file in group) for group in groups] == [100 * MB] * 4


def test_files_of_half_the_target_are_full() -> None:
    assert choose_merges(_files(*[50 * MB] * 8), Policy(target_bytes=100 * MB)) == ()


def test_partitions_and_schema_versions_stay_apart() -> None:
    kinds = (FileGroup(1, 1, ("a",)), FileGroup(1, 1, ("b",)), FileGroup(2, 1, ("a",)), FileGroup(1, 2, ("a",)))
    files = [Candidate(place, 10, 1, 0, kinds[place % 4]) for place in range(16)]
    assert _ids(choose_merges(files, Policy())) == [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]


def test_small_files_of_which_little_is_deleted_are_rewritten_once_they_are_many() -> None:
    few = [Candidate(place, 10, 100, 1) for place in range(3)]
    assert choose_rewrites(few, Policy()) == ()
    assert _ids(choose_rewrites([*few, Candidate(3, 10, 100, 2), Candidate(4, 10, 100)], Policy())) == [[3, 0, 1, 2]]
    # Nor is a large file written anew for the sake of small ones.
    assert _ids(choose_rewrites([*few, Candidate(3, 100 * MB, 10**6, 1)], Policy(min_files=3))) == [[0, 1, 2]]
    assert choose_rewrites([Candidate(n, 300 * MB, 10**6, 1) for n in range(8)], Policy()) == ()


def test_files_with_deleted_rows_are_rewritten_and_not_merged() -> None:
    files = [Candidate(place, 10, 100, deleted) for place, deleted in enumerate((0, 10, 50, 99))]
    assert _ids(choose_rewrites(files, Policy())) == [[3, 2]]
    assert choose_merges(files, Policy(min_files=2)) == ()
    assert _ids(choose_rewrites([Candidate(n, 10 * MB, 4, 2) for n in range(3)], Policy(target_bytes=10 * MB))) == [
        [0, 1],
        [2],
    ]
