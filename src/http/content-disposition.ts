/** File systems take 255 bytes, and proxies no endless headers. */
const longestName = 60;

/** For a file that is to be saved: its name in any script, and one of plain letters for who cannot read that. */
export function attachment(name: string, extension: string, fallbackName: string): string {
  // Marks that turn text around would make the ending look like another one.
  const short = [...name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').toWellFormed()]
    .slice(0, longestName)
    .join('');
  const letters = short.replace(/[^\w .-]/g, '_').trim();
  const plainName = /[A-Za-z0-9]/.test(letters) ? letters : fallbackName;
  // RFC 8187 wants more of them encoded than encodeURIComponent does.
  const encodedName = encodeURIComponent(short.replace(/[\p{Cc}/\\]/gu, '_')).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plainName}.${extension}"; filename*=UTF-8''${encodedName}.${extension}`;
}
