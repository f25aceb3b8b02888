/** Inserts an item into a sorted list, after equal ones. */
export function insertSorted<Member>(
  list: Member[],
  member: Member,
  compare: (one: Member, other: Member) => number,
): void {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(list[middle]!, member) <= 0) from = middle + 1;
    else to = middle;
  }
  list.splice(from, 0, member);
}
