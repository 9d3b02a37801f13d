/* Programs as texts: as Python prints them (unless/rule), as JSON that `unless` loads, and rules as SQL. */

/** A number as Python's repr writes it: 3.0, 0.1, 1e+300, inf. */
function floatText(number) {
  const text = unless.words.spell(number);
  return /[.en]/.test(text) ? text : `${text}.0`;
}

/** A bound as people say it: where that is shorter, by the number next to it. */
const { bound } = unless.words;

/** A value in a printed rule: texts in quotes, a date or a level as it is written, if it can be, else a number. */
function valueText(value, { feature, notation }, { features, printed }) {
  if (typeof value === "string") return unless.words.quoted(value);
  if (!unless.notation.isWritten(notation)) return unless.words.spell(value);
  if (notation.back(notation.text(value)) !== value) return `number ${floatText(value)}`;
  if (!notation.levels) return notation.text(value);
  return printed.levels[features[feature].name][notation.levels.indexOf(notation.text(value))];
}

const SIGNS = new Set(["<=", ">", "<", ">="]);

/** A condition as Python prints it: "age <= 30", "age is above 30 and at most 40". */
function conditionText(condition, program) {
  const { operators, printed } = program;
  const [literal] = condition;
  const name = printed.features[literal.feature];
  if (condition.length > 1) {
    const parts = condition.map((one, place) => {
      const { op, value } = bound(one);
      return `${place ? `and ${operators[op].replace(/^is /, "")}` : operators[op]} ${valueText(value, one, program)}`;
    });
    return [name, ...parts].join(" ");
  }
  const flag = unless.engine.said(literal);
  if (flag.op !== literal.op) return `${name} ${operators[flag.op]} ${flag.value}`; // 0 or 1
  const { op, value } = bound(literal);
  const test = `${name} ${SIGNS.has(op) ? op : operators[op]}`;
  return value === null ? test : `${test} ${valueText(value, literal, program)}`;
}

/** The literals of a rule, each as often as it is there; two bounds beside each other are a range. */
function asWritten(literals) {
  const found = [];
  for (let place = 0; place < literals.length; place += found.at(-1).length) {
    const [one, other] = literals.slice(place, place + 2);
    const range = other && one.feature === other.feature && one.op === ">" && other.op === "<=";
    found.push(range ? [one, other] : [one]);
  }
  return found;
}

/** A rule as Python prints it. */
function ruleText(rule, program) {
  const head = rule.label === null ? "" : `${program.printed.labels[rule.label]} `;
  const asks = asWritten(rule.literals).map((one) => conditionText(one, program)).join(" and ");
  const exceptions = rule.exceptions.map((one) => ` unless (${ruleText(one, program)})`);
  return (head && asks ? `${head}if ${asks}` : asks || `${head}always`) + exceptions.join("");
}

/** A program as Python prints it: a last rule without conditions is for all other records. */
function programText(program) {
  const { labels, target } = program.printed;
  const last = program.rules.at(-1);
  const closed = program.otherwise === null && last && !last.literals.length && !last.exceptions.length;
  const rest = closed ? last.label : program.otherwise;
  const lines = program.rules.slice(0, closed ? -1 : undefined).map((rule) => `${target}: ${ruleText(rule, program)}`);
  if (rest !== null) lines.push(`${target}: ${labels[rest]} otherwise`);
  return lines.join("\n") || `${target}: no rules`;
}

// JSON, as unless/export/json.py reads it. Labels come as JSON already: JavaScript does not tell 1.0 from 1.

function literalData({ feature, op, value, notation }, { features }) {
  const { name } = features[feature];
  const written = typeof value === "number" && unless.notation.isWritten(notation);
  const spelled = typeof value === "number" && !Number.isFinite(value) ? unless.words.spell(value) : value;
  return [name, op, written ? notation.text(value) : spelled];
}

function bodyJson({ literals, exceptions }, program) {
  const defaults = literals.map((literal) => JSON.stringify(literalData(literal, program)));
  const inner = exceptions.map((one) => `{${bodyJson(one, program)}}`);
  return `"default": [${defaults.join(", ")}], "exceptions": [${inner.join(", ")}]`;
}

/** The features whose numbers are written in a way of their own, in some literal of the rules. */
function notedFeatures(rules) {
  const found = new Set();
  const visit = ({ literals, exceptions }) => {
    literals.forEach(({ feature, notation, value }) => notation && typeof value === "number" && found.add(feature));
    exceptions.forEach(visit);
  };
  rules.forEach(visit);
  return [...found].sort((one, other) => one - other);
}

/** A program as JSON that `unless` loads. */
function programJson(program) {
  const rule = (one) => `    {"label": ${program.codes[one.label]}, ${bodyJson(one, program)}}`;
  const noted = notedFeatures(program.rules).map((place) => [
    program.features[place].name,
    program.features[place].notationData,
  ]);
  return [
    "{",
    '  "format": "unless-program",',
    '  "version": 1,',
    `  "target": ${JSON.stringify(program.target)},`,
    `  "features": ${JSON.stringify(program.allNames)},`,
    ...(noted.length ? [`  "notations": ${JSON.stringify(noted)},`] : []),
    `  "otherwise": ${program.otherwise === null ? "null" : program.codes[program.otherwise]},`,
    '  "rules": [',
    program.rules.map(rule).join(",\n"),
    "  ]",
    "}\n",
  ].join("\n");
}

// SQL: conditions that are true or false, never NULL, so that NOT means what it says. Python wrote what is around values.

const sqlText = (text) => `'${text.replace(/'/g, "''")}'`;

/** A value between the pieces of its condition; levels are all those that the bound lets through. */
function sqlValue({ op, value, notation }) {
  if (value === null) return "";
  if (typeof value === "string") return sqlText(value);
  if (!unless.notation.isWritten(notation)) return floatText(value).replace("inf", "1e999");
  if (!notation.levels) return notation.text(Math.floor(value / notation.step) * notation.step).replace(/Z$/, "+00:00");
  return notation.levels.filter((_, place) => (op === "<=" ? place <= value : place > value)).map(sqlText).join(", ");
}

function sqlLiteral(literal, { sql }) {
  const [before, after] = sql[literal.feature][literal.op];
  const value = sqlValue(literal);
  return after && !value ? "1 = 0" : `(${before}${value}${after})`; // there may be no level above a bound
}

/** The records that a rule covers, as a condition of SQL. */
function sqlCondition(rule, program) {
  const parts = rule.literals.map((literal) => sqlLiteral(literal, program));
  parts.push(...rule.exceptions.map((one) => `NOT (${sqlCondition(one, program)})`));
  return parts.join("\n  AND ") || "1 = 1";
}

/** A rule as SQL, with a comment that says which it is. */
function ruleSql(rule, number, program) {
  const label = unless.words.printable(program.names[rule.label]).replace(/[\r\n\u2028\u2029]/g, " ");
  return `-- rule ${number}: ${label}, where no earlier rule applies\n${sqlCondition(rule, program)}\n`;
}

unless.texts = { floatText, programJson, programText, ruleSql, ruleText, sqlCondition };
