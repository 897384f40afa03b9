/** A PDF of one empty page. `catalog` is added to its root object, `comment` makes it another file. */
export function pdf({ catalog = '', comment = '', bytes = 0 } = {}): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R >>',
    '<< /Length 37 >>\nstream\n1 0 0 rg 0 0 300 300 re f 0 0 0 rg   \nendstream',
  ];
  let file = `%PDF-1.4\n% ${comment}\n`;
  if (bytes > 0) file += `%${'x'.repeat(bytes)}\n`;
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = file.length;
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
