/* What mistakes cost: the total, and the threshold on the probability that costs least. */

/** The usual costs: nothing if right, 1 if wrong or not decided; the last column is "not decided". */
const usual = (size) =>
  Array.from({ length: size }, (_, row) => Array.from({ length: size + 1 }, (_, column) => Number(row !== column)));

/** What all decisions cost together. */
const total = (confusion, costs) =>
  confusion.reduce((sum, row, k) => sum + row.reduce((part, count, j) => part + count * costs[k][j], 0), 0);

/** What each threshold costs: the records with at least these points get the second label; the last gets none. */
function thresholds({ points, negatives, positives }, [first, second]) {
  let cost = 0; // everything gets the second label
  points.forEach((_, k) => (cost += negatives[k] * first[1] + positives[k] * second[1]));
  const found = points.map((point, k) => {
    const here = { points: point, cost };
    cost += negatives[k] * (first[0] - first[1]) + positives[k] * (second[0] - second[1]);
    return here;
  });
  return [...found, { points: Infinity, cost }];
}

const probability = (points) => 1 / (1 + Math.exp(-points / 1000));

/** The threshold that costs least; of equal ones that nearest to even odds. */
function best(found) {
  const least = Math.min(...found.map(({ cost }) => cost));
  const equal = found.filter(({ cost }) => cost <= least + 1e-9 * Math.abs(least));
  return equal.reduce((one, other) => (Math.abs(other.points) < Math.abs(one.points) ? other : one));
}

unless.costs = { best, probability, thresholds, total, usual };
