/** The front page: what this is, and the next step. */
export function frontView(baseUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Qrelay</title>
</head>
<body>
<main>
<h1>Qrelay</h1>
<p>Store a QR code, print its share address, read who scanned it.</p>
<p>Make a key on the machine that runs the service: <code>npm run -s qrelay -- key create --email you@example.com</code></p>
<p>Then send requests to <code>${baseUrl}/api/v1/qrcodes</code>. The interface is described in
<a href="/api/v1/openapi.json">openapi.json</a>.</p>
</main>
</body>
</html>
`;
}
