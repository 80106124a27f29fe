"""Join blocks into passages, and split passages at long gaps.

Text that was copied in one piece is one passage, whatever was inserted, omitted or moved in it. Long gaps separate
passages: adverts, cuts, furniture (recurring insertions) or other text.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.aligned_span import AlignedSpan, covered_length, merge_spans
from matcher.alignment.chaining import select_explaining
from matcher.alignment.seed_and_extend import Blocks, Floats, block_weights
from matcher.retrieval.inserted_adverts import mark_recurring

# Gaps are measured by the information of their initials, in Han initials.
MAX_GAP = 30.0  # gap inside a passage on either side, whatever the size of the blocks
MAX_WOVEN_GAP = 96.0  # gap between two groups of blocks that interlock on the other side ...
_MIN_FILLED_SHARE = 0.6  # ... and fill at least this share of it
MAX_FURNITURE = 320.0  # gap of the page that counts as nothing where most of it is furniture
MAX_FURNITURE_INITIALS = 800  # the same limit in initials of any kind
_MAX_OWN_SHARE = 0.5  # share of such a gap that is no furniture
MIN_BREAK = 64.0  # uncopied text on either side that splits a passage
_MIN_BREAK_INITIALS = 80  # the same limit in initials of any kind
MAX_GAP_SHARE = 0.15  # gap as a share of the smaller span, up to which two spans join
# Spans join for three more reasons.
# 1. Inserted or omitted: one text continues behind text that only the other one has, an advert or a cut.
MAX_SKIPPED = 12.0  # gap on the side that continues
_MIN_WHOLE_SHARE = 0.97  # share of its initials that is shared
# 2. Seam: one text continues with the very next initial.
_SEAM_TOLERANCE = 2  # initials by which it may be off
_MAX_BESIDE = 80  # initials that only the other text has
_MIN_NEARLY_WHOLE_SHARE = 0.92  # shared initials of a cut text, as those at its seam count as differences
# 3. Rewritten: the gaps are equally long on both sides, and no longer than either span.
_SHIFT_TOLERANCE = 8  # initials by which the gaps may differ


_UNKNOWN = -1.0  # a gap that cannot be told before furniture is known

_SIDES = "f8[::1], f8[::1], f8[::1]"  # cumulative information of the page, of the work, and of the page's own text


@compiled("f8(i8[:], i8[:], f8[::1], f8[::1], f8)")
def _page_gap(a, b, page, own, small):  # type: ignore[no-untyped-def]  # compiled
    """Return the information on the page between a and b behind it. Furniture that fills most of it counts as 0.

    own: empty where it is not known yet. small: up to here it does not matter whether the gap is furniture.
    """
    start, end = a[1], b[0]
    if end <= start:
        return 0.0
    whole = page[end] - page[start]
    is_same_text = 2 * (min(a[3], b[3]) - max(a[2], b[2])) > b[3] - b[2]
    if whole > MAX_FURNITURE or is_same_text or whole <= small:
        return whole
    if len(own) == 0:
        return _UNKNOWN
    rest = own[end] - own[start]
    return rest if rest <= _MAX_OWN_SHARE * whole else whole


@compiled("f8(f8[::1], f8[::1])")
def _covered_length(starts, ends):  # type: ignore[no-untyped-def]  # compiled
    """Return the length of the union of spans, as `covered_length` does. It sorts them."""
    for place in range(1, len(starts)):
        start, end = starts[place], ends[place]
        free = place
        while free > 0 and (starts[free - 1] > start or (starts[free - 1] == start and ends[free - 1] > end)):
            starts[free], ends[free] = starts[free - 1], ends[free - 1]
            free -= 1
        starts[free], ends[free] = start, end
    total = reach = 0.0
    for place in range(len(starts)):
        total += max(0.0, ends[place] - max(starts[place], reach))
        reach = max(reach, ends[place])
    return total


@compiled("b1(i8[:,::1], i8[::1], i8, i8[:], f8[::1])")
def _are_woven(bounds, parts, middle, columns, info):  # type: ignore[no-untyped-def]  # compiled
    """Whether two groups interlock on a side and fill it together: pieces of one shuffled passage.

    parts: those of the first group, and from `middle` on those of the second. columns: of the side's bounds.
    """
    starts, ends = info[bounds[parts, columns[0]]], info[bounds[parts, columns[1]]]
    shared = min(ends[:middle].max(), ends[middle:].max()) - max(starts[:middle].min(), starts[middle:].min())
    smaller = min(ends[:middle].max() - starts[:middle].min(), ends[middle:].max() - starts[middle:].min())
    width = ends.max() - starts.min()
    return shared >= smaller / 2 and width > 0 and _covered_length(starts, ends) / width >= _MIN_FILLED_SHARE


@compiled(f"i8(i8[:,::1], i8[::1], b1, {_SIDES}, i8[::1])")
def _split_side(bounds, parts, by_work, page, work, own, starts):  # type: ignore[no-untyped-def]  # compiled
    """Sort the parts along a side, fill in where each group starts, and return the number of groups.

    It is 0 if furniture decides, and is not known.
    """
    first = 2 if by_work else 0
    parts[:] = parts[np.argsort(bounds[parts, first], kind="mergesort")]
    gaps = np.empty(len(parts), np.float64)  # before each group
    groups = 1
    starts[0] = 0
    furthest = parts[0]
    for place in range(1, len(parts)):
        part = parts[place]
        if by_work:
            gap = work[bounds[part, 2]] - work[bounds[furthest, 3]]
        else:
            gap = _page_gap(bounds[furthest], bounds[part], page, own, MAX_GAP)
            if gap == _UNKNOWN:
                return 0
        if gap > MAX_GAP:
            gaps[groups], starts[groups] = gap, place
            groups += 1
        if bounds[part, first + 1] >= bounds[furthest, first + 1]:
            furthest = part
    across = np.array([0, 1]) if by_work else np.array([2, 3])
    woven = 1
    for group in range(1, groups):
        begin, middle = starts[woven - 1], starts[group]
        end = starts[group + 1] if group + 1 < groups else len(parts)
        info = page if by_work else work
        if gaps[group] <= MAX_WOVEN_GAP and _are_woven(bounds, parts[begin:end], middle - begin, across, info):
            continue
        starts[woven] = middle
        woven += 1
    return woven


@compiled(f"UniTuple(i8[::1], 2)(i8[:,::1], {_SIDES})")
def _split(bounds, page, work, own):  # type: ignore[no-untyped-def]  # compiled
    """Split all parts into groups with no gap over `MAX_GAP` on either side.

    The split alternates between page and work until no group splits. The result is the parts by groups, and the end of
    each group. There is none if furniture decides, and is not known.
    """
    size = len(bounds)
    order, ends, count, sorted_count = np.empty(size, np.int64), np.empty(size, np.int64), 0, 0
    parts = np.arange(size)
    starts = np.empty(size, np.int64)
    pending = [(0, size, False, False)]  # begin and end of a group among the parts, side, whether the other is settled
    while len(pending) > 0:
        begin, end, by_work, settled = pending.pop()
        group = parts[begin:end].copy()
        groups = _split_side(bounds, group, by_work, page, work, own, starts)
        if groups == 0:
            return order[:0], ends[:0]
        if groups > 1:
            parts[begin:end] = group
            for number in range(groups):
                last = begin + starts[number + 1] if number + 1 < groups else end
                pending.append((begin + starts[number], last, not by_work, False))
        elif settled:
            order[sorted_count : sorted_count + end - begin] = parts[begin:end]
            sorted_count += end - begin
            ends[count] = sorted_count
            count += 1
        else:
            pending.append((begin, end, not by_work, True))
    return order, ends[:count]


@compiled("b1(i8[:], i8[:], f8, f8[::1], f8[::1])")
def _has_seam(a, b, weight, page, work):  # type: ignore[no-untyped-def]  # compiled
    """Whether one text continues in b with the very next initial, and the other one soon behind.

    The text that continues must be shared nearly whole.
    """
    on_page, in_work = b[0] - a[1], b[2] - a[3]
    of_page, of_work = page[b[1]] - page[a[0]], work[b[3]] - work[a[2]]
    if abs(in_work) <= _SEAM_TOLERANCE and on_page <= _MAX_BESIDE and weight >= _MIN_WHOLE_SHARE * of_work:
        return True
    left_out = abs(on_page) <= _SEAM_TOLERANCE and 0 < in_work <= _MAX_BESIDE
    return left_out and weight >= _MIN_NEARLY_WHOLE_SHARE * of_page


@compiled("b1(i8[:], i8[:], f8)")
def _is_rewritten(a, b, longest):  # type: ignore[no-untyped-def]  # compiled
    """Whether b stands where a would have arrived, had it continued initial by initial."""
    on_page, in_work = b[0] - a[1], b[2] - a[3]
    near = min(on_page, in_work) >= 0 and max(on_page, in_work) <= longest
    return near and abs(on_page - in_work) <= _SHIFT_TOLERANCE


@compiled(f"f8(i8[:], i8[:], f8[:], f8[:], {_SIDES})")
def _distance(a, b, a_values, b_values, page, work, own):  # type: ignore[no-untyped-def]  # compiled
    """Return the gap on both sides as a share of the smaller span, 0 where one text continues in b.

    *_values: weight and covered information.
    """
    weight, smaller = a_values[0] + b_values[0], min(a_values[1], b_values[1])
    if _has_seam(a, b, weight, page, work):
        return 0.0
    work_gap = max(work[b[2]] - work[a[3]], work[a[2]] - work[b[3]], 0.0)
    if work_gap > MIN_BREAK:
        return np.inf
    page_gap = _page_gap(a, b, page, own, 0.0)
    if page_gap == _UNKNOWN:
        return _UNKNOWN
    furniture = page_gap < page[b[0]] - page[a[1]]
    # Very many initials may lie between, though they carry little. Furniture does not count.
    initials = max(0 if furniture else b[0] - a[1], b[2] - a[3], a[2] - b[3])
    if page_gap > MIN_BREAK or initials > _MIN_BREAK_INITIALS:
        return np.inf
    of_page = page[max(a[1], b[1])] - page[a[0]]
    of_work = work[max(a[3], b[3])] - work[min(a[2], b[2])]
    inserted = work_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_work
    left_out = page_gap <= MAX_SKIPPED and weight >= _MIN_WHOLE_SHARE * of_page
    if inserted or left_out or _is_rewritten(a, b, smaller):
        return 0.0
    return (page_gap + work_gap) / (2 * smaller) if smaller > 0 else np.inf


@compiled("void(i8[:], f8[:], i8[:], f8[:])")
def _merge(into, into_values, other, other_values):  # type: ignore[no-untyped-def]  # compiled
    """Merge a span into another one, as `merge_spans`."""
    into[0], into[1] = min(into[0], other[0]), max(into[1], other[1])
    into[2], into[3] = min(into[2], other[2]), max(into[3], other[3])
    into_values[0] += other_values[0]
    into_values[1] += other_values[1]


@compiled("b1(i8[:], i8[:])")
def _is_before(a, b):  # type: ignore[no-untyped-def]  # compiled
    for column in range(4):
        if a[column] != b[column]:
            return a[column] < b[column]
    return False


_GATHERED = "Tuple((i8[::1], i8[::1], i8[:,::1], f8[:,::1]))"


@compiled(f"{_GATHERED}(i8[:,::1], f8[:,::1], i8[::1], i8[::1])")
def _merge_groups(bounds, values, order, ends):  # type: ignore[no-untyped-def]  # compiled
    """Merge the parts of each group. Return the columns of `_gather`, with the spans in the order of their bounds."""
    count = len(ends)
    spans, span_values = np.empty((count, 4), np.int64), np.empty((count, 2), np.float64)
    ranks = np.empty(count, np.int64)
    for group in range(count):
        begin = ends[group - 1] if group else 0
        spans[group], span_values[group] = bounds[order[begin]], values[order[begin]]
        for part in order[begin + 1 : ends[group]]:
            _merge(spans[group], span_values[group], bounds[part], values[part])
        place = group
        while place > 0 and _is_before(spans[group], spans[ranks[place - 1]]):
            ranks[place] = ranks[place - 1]
            place -= 1
        ranks[place] = group
    by_rank, rank_ends = np.empty_like(order), np.empty_like(ends)
    total = 0
    for rank in range(count):
        group = ranks[rank]
        begin = ends[group - 1] if group else 0
        by_rank[total : total + ends[group] - begin] = order[begin : ends[group]]
        total += ends[group] - begin
        rank_ends[rank] = total
    return by_rank, rank_ends, spans[ranks], span_values[ranks]


@compiled(f"{_GATHERED}(i8[:,::1], f8[:,::1], {_SIDES})")
def _gather(bounds, values, page, work, own):  # type: ignore[no-untyped-def]  # compiled
    """Split the parts, and join the neighbours along the page, the nearest for their size first.

    values: weight and covered information of each part. own: as in `_page_gap`. The result is the parts by spans, the
    end of each span among them, its bounds and its values. There is none if furniture decides, and is not known.
    """
    order, ends = _split(bounds, page, work, own)
    order, ends, spans, span_values = _merge_groups(bounds, values, order, ends)
    count = len(ends)
    costs = np.empty(max(0, count - 1), np.float64)
    for a in range(count - 1):
        costs[a] = _distance(spans[a], spans[a + 1], span_values[a], span_values[a + 1], page, work, own)
        if costs[a] == _UNKNOWN:
            return order[:0], ends[:0], spans[:0], span_values[:0]
    while count > 1 and costs[: count - 1].min() <= MAX_GAP_SHARE:
        index = int(costs[: count - 1].argmin())
        _merge(spans[index], span_values[index], spans[index + 1], span_values[index + 1])
        for place in range(index + 1, count - 1):
            spans[place], span_values[place] = spans[place + 1], span_values[place + 1]
            costs[place - 1] = costs[place]
        for place in range(index, count - 1):
            ends[place] = ends[place + 1]
        count -= 1
        for a in range(max(0, index - 1), min(index + 1, count - 1)):
            costs[a] = _distance(spans[a], spans[a + 1], span_values[a], span_values[a + 1], page, work, own)
            if costs[a] == _UNKNOWN:
                return order[:0], ends[:0], spans[:0], span_values[:0]
    return order, ends[:count].copy(), spans[:count].copy(), span_values[:count].copy()


MIN_PASSAGE_WEIGHT = 18.0  # weight of a passage: agreeing initials less the cost of differences
MIN_DOCUMENT_SHARE = 0.45  # shared part of both texts, from which they are versions of one document


def gather_spans(blocks: Blocks, page: NDArray[np.uint8], page_info: Floats, work_info: Floats) -> list[AlignedSpan]:
    """Gather blocks into spans in the order of the page, with those too light for a passage. page: its initials."""
    weights = block_weights(blocks, page_info)
    if len(weights) == 1:  # the case of most works that share a sentence
        start, end, work_start, work_end = (int(column[0]) for column in blocks[:4])
        return [
            AlignedSpan(
                start, end, work_start, work_end, float(weights[0]), float(page_info[end] - page_info[start]), (0,)
            )
        ]
    selected = select_explaining(blocks, weights, page_info, work_info)
    bounds = np.stack([column[selected] for column in blocks[:4]], axis=1).astype(np.int64)
    info = page_info[bounds[:, 1]] - page_info[bounds[:, 0]]
    parts = bounds, np.stack((weights[selected], info), axis=1), page_info, work_info
    gathered = _gather(*parts, np.empty(0, np.float64))
    if len(selected) and not len(gathered[0]):
        recurring = mark_recurring(page, blocks.page_start[selected], blocks.page_end[selected], MAX_FURNITURE_INITIALS)
        gathered = _gather(*parts, silence_initials(page_info, recurring) if recurring.any() else page_info)
    order, ends, spans, values = gathered
    numbers = selected[order].tolist()
    columns = (*spans.T.tolist(), *values.T.tolist())
    groups = [tuple(numbers[begin:end]) for begin, end in pairwise((0, *ends.tolist()))]
    return [AlignedSpan(*row) for row in zip(*columns, groups, strict=True)]


def silence_initials(info: Floats, silent: NDArray[np.bool_]) -> Floats:
    """Recompute cumulative information with these initials at 0."""
    sums: Floats = _silence(info, silent)
    return sums


@compiled("f8[::1](f8[::1], b1[::1])")
def _silence(info, silent):  # type: ignore[no-untyped-def]  # compiled
    sums = np.zeros_like(info)
    for index in range(len(silent)):
        sums[index + 1] = sums[index] + (0.0 if silent[index] else info[index + 1] - info[index])
    return sums


def join_touching(parts: Sequence[AlignedSpan]) -> list[AlignedSpan]:
    """Merge neighbours that touch on both sides."""
    joined: list[AlignedSpan] = []
    for part in sorted(parts, key=lambda span: span.bounds):
        last = joined[-1] if joined else None
        if (
            last
            and part.page_start - last.page_end <= MAX_SKIPPED
            and max(part.work_start - last.work_end, last.work_start - part.work_end) <= MAX_SKIPPED
        ):
            joined[-1] = merge_spans(last, part)
        else:
            joined.append(part)
    return joined


def is_same_document(parts: Sequence[AlignedSpan], page_info: Floats, work_info: Floats) -> bool:
    """Whether two texts are versions of one document."""
    of_page = covered_length((page_info[part.page_start], page_info[part.page_end]) for part in parts)
    of_work = covered_length((work_info[part.work_start], work_info[part.work_end]) for part in parts)
    return bool(min(of_page / page_info[-1], of_work / work_info[-1]) >= MIN_DOCUMENT_SHARE)
