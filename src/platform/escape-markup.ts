/** Text as it stands in HTML and XML, also within quotes. */
export const escapeMarkup = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
    // Not allowed in XML at all.
    .replaceAll(/(?![\t\n])[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "");
