/** Of a folded line, with the space that it starts with. */
const lineLength = 75;

/** A vCard as `writeVcard` writes it, with this photo as its only one. */
export function withPhoto(vcf: string, jpeg: Buffer): string {
  const data = jpeg.toString('base64');
  const isVersion4 = vcf.startsWith('BEGIN:VCARD\r\nVERSION:4.0\r\n');
  const property = isVersion4 ? `PHOTO:data:image/jpeg;base64,${data}` : `PHOTO;ENCODING=b;TYPE=JPEG:${data}`;
  const lines: string[] = [];
  for (let at = 0; at < property.length; at += lineLength - 1)
    lines.push(property.slice(at, at + lineLength - 1));
  const others = vcf.split(/\r\n(?! )/).filter((line) => !/^(?:[a-z0-9-]{1,100}\.)?PHOTO[;:]/i.test(line));
  others.splice(2, 0, lines.join('\r\n '));
  return others.join('\r\n');
}
