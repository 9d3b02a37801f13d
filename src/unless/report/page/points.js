/* The score card of a record: what unless/score and unless/explanation/score_explanation.py say. */

const PER_LOGIT = 1000;
const LABELS = 6; // the most labels to show: the most probable ones

const certain = ({ literals, exceptions }) => !literals.length && !exceptions.length;

/** A rule or an exception, its default if it has exceptions, and these; `around` are the rules that it is in. */
function inner(kind, number, rule, around) {
  const parts = [{ kind, number, rule, around }];
  if (kind === "rule" && rule.literals.length && rule.exceptions.length)
    parts.push({ kind: "default", number, rule, around });
  const within = [...around, rule];
  return parts.concat(rule.exceptions.flatMap((exception) => inner("exception", number, exception, within)));
}

/** The literals of a rule and its exceptions, in reading order. */
const literalsOf = ({ literals, exceptions }) => [...literals, ...exceptions.flatMap(literalsOf)];

/** The parts of a program, and literals that no rule has, in the order of unless/score/program_parts.py. */
function partsOf({ rules }, cuts) {
  const decides = rules.map((_, number) => ({ kind: "decides", number }));
  if (!rules.some(certain)) decides.push({ kind: "decides", number: null });
  const inside = rules.flatMap((rule, number) => (certain(rule) ? [] : inner("rule", number, rule, [])));
  const key = ({ feature, op, value }) => `${feature} ${op} ${typeof value} ${value}`;
  const literals = new Map(rules.flatMap(literalsOf).map((literal) => [key(literal), literal]));
  return [...decides, ...inside, ...[...literals.values(), ...cuts].map((literal) => ({ kind: "literal", literal }))];
}

/** Whether a part holds for a record, given the place of the deciding rule. */
function holds(part, record, decided) {
  const { holds: true_of, covers } = unless.engine;
  if (part.kind === "literal") return true_of(part.literal, record[part.literal.feature]);
  if (part.kind === "decides") return part.number === decided;
  const all = ({ literals }) => literals.every((literal) => true_of(literal, record[literal.feature]));
  return part.around.every(all) && (part.kind === "default" ? all(part.rule) : covers(part.rule, record));
}

/** What the list adds so that its label leads; `own` is the place of the label among the classes, -1 for none. */
function lead(total, own) {
  if (own < 0) return total.map(() => 0);
  if (total.length === 1) return [own === 1 ? Math.max(1 - total[0], 0) : Math.min(-1 - total[0], 0)];
  const rival = Math.max(...total.filter((_, place) => place !== own));
  return total.map((points, place) => (place === own ? Math.max(rival + 1 - points, 0) : 0));
}

const sum = (one, other) => one.map((points, place) => points + other[place]);

/** The share of the odds of each label. */
function shares(points) {
  const most = points.reduce((one, other) => Math.max(one, other));
  const odds = points.map((one) => Math.exp((one - most) / PER_LOGIT));
  const all = odds.reduce((one, other) => one + other);
  return odds.map((one) => one / all);
}

/** The lines of a record: the parts that hold, with their points, the total, and the probability of each class. */
function score({ card, ...program }, record) {
  const { rule, label } = unless.engine.decide(program, record);
  const lines = [{ part: { kind: "every" }, points: card.base }];
  card.parts.forEach((part, place) => {
    if (card.points[place].some(Boolean) && holds(part, record, rule)) lines.push({ part, points: card.points[place] });
  });
  const total = lines.map(({ points }) => points).reduce(sum);
  const added = lead(total, card.classes.indexOf(label));
  if (added.some(Boolean)) lines.push({ part: { kind: "list" }, points: added });
  const whole = sum(total, added);
  return { lines, total: whole, shares: shares(whole.length === 1 ? [0, ...whole] : whole) }; // of two, the first has none
}

/** What holds, in words. */
function partText(speech, part) {
  const { joined, ruleText } = unless.words;
  switch (part.kind) {
    case "every":
      return "every record";
    case "list":
      return "the list decides";
    case "literal":
      return speech.condition([part.literal]);
    case "decides":
      return part.number === null ? ruleText(null) : `${ruleText(part.number)} decides`;
    case "rule":
      return `${ruleText(part.number)} holds`;
    case "default":
      return `the default of ${ruleText(part.number)} holds`;
    default: {
      const asks = joined(speech.conditions(part.rule)) || "always";
      return `an ${part.around.length > 1 ? "inner " : ""}exception to ${ruleText(part.number)} holds: ${asks}`;
    }
  }
}

/** A share in per cent, with one decimal; only shares of exactly 0 and 1 are 0 % and 100 %. */
function percent(share) {
  const exact = Number(share.toFixed(12));
  if (exact === 0 || exact === 1) return `${100 * exact} %`;
  const units = Math.floor(1000 * exact + 0.5 + 1e-9);
  return units < 1 ? "< 0.1 %" : units < 1000 ? `${(units / 10).toFixed(1)} %` : "> 99.9 %";
}

/** A share with three digits, as Python's `share_text` writes it: only exactly 0 and 1 are 0.000 and 1.000. */
function measure(share) {
  const exact = Number(share.toFixed(12));
  if (exact === 0 || exact === 1) return exact.toFixed(3);
  const inside = Math.min(Math.max(exact, 0.001), 0.999);
  const half = (inside * 16) % 2 === 1; // Python rounds 0.0625 to the even digit, JavaScript up
  return half ? (2 * Math.round((inside * 1000) / 2) * 0.001).toFixed(3) : inside.toFixed(3);
}

const signed = (points) => (points > 0 ? "+" : points < 0 ? "-" : "") + unless.words.countText(Math.abs(points));

/** The cells of the table of a record: a head, a row for each part, the total, and probabilities. */
function table(program, speech, record) {
  const { classes } = program.card;
  const { lines, total, shares: all } = score(program, record);
  const skipped = classes.length - total.length; // of two labels, the first has no column
  const ranked = total.map((_, place) => place).sort((one, other) => all[other + skipped] - all[one + skipped]);
  const shown = ranked.slice(0, LABELS).sort((one, other) => one - other);
  const cells = (points) => shown.map((place) => signed(points[place]));
  return [
    ["points for", ...shown.map((place) => speech.label(classes[place + skipped]))],
    ...lines.map(({ part, points }) => [partText(speech, part), ...cells(points)]),
    ["total", ...cells(total)],
    ["probability", ...shown.map((place) => percent(all[place + skipped]))],
  ];
}

/** The card of a page's data, with the parts of the program; null if there is none. */
const readCard = (card, program, cuts) => (card ? { ...card, parts: partsOf(program, cuts) } : null);

/** The probability of the label that a record gets; null if it gets none. */
function sureness(program, record) {
  const place = program.card.classes.indexOf(unless.engine.decide(program, record).label);
  return place < 0 ? null : score(program, record).shares[place];
}

unless.points = { measure, percent, readCard, score, shares, sureness, table };
