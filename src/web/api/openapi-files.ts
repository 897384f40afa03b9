/** The body of a request that is a file of one of these media types. */
export function describeFile(types: string[]) {
  const schema = { type: 'string', format: 'binary' };
  return {
    description: 'The file.',
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}
