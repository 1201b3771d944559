/** Names for repeated statements, which the server parses and plans only once by name. */

/** Every connection keeps what it has been told by name, so there is an end to them; what comes later is sent without. */
const namesMax = 100;
/** What is longer writes many rows at once, seldom the same number. */
const lengthMax = 4000;

/** @returns a name that stands for this text alone, or undefined */
export function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax || text.length > lengthMax) return known;
    const name = `s${names.size}`;
    names.set(text, name);
    return name;
  };
}
