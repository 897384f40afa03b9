/** Installs Debian packages that are missing: package → programs, any of which is enough. See test/packages.mjs. */
export async function installPackages(wanted: Record<string, string[]>): Promise<boolean> {
  const packages = (await import(new URL('../packages.mjs', import.meta.url).href)) as {
    installPackages(names: Record<string, string[]>): Promise<boolean>;
  };
  return packages.installPackages(wanted);
}
