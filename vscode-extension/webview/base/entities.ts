/** Character references as the browser reads them, in place of a table of all their names. */

const field = document.createElement("textarea");

/** The character behind `&name;`; the text itself where nothing has that name. */
export function decodeHTMLStrict(reference: string): string {
  field.innerHTML = reference; // the content of a text area is never markup
  // Some names end early in HTML: `&notit;` is `¬it;`. That is none.
  return field.value.length > 1 && field.value.endsWith(";") ? reference : field.value;
}
